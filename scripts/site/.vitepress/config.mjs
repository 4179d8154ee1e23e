// The site of `npm run docs`. VitePress fails the build when a link leads nowhere; test/docs.test.ts checks headings as well.
import { join } from 'node:path'
import { ROOT, readGroups } from '../pages.mjs'

/** The ring and the dot of the dashboard's icon. */
const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><circle cx="8" cy="8" r="6" fill="none" stroke="#3d63dd" stroke-width="2.5"/><circle cx="8" cy="8" r="2" fill="#3d63dd"/></svg>',
)}`

export default {
  title: 'ao',
  description: 'Run many coding agents at once, and carry their work to merged pull requests',
  head: [['link', { rel: 'icon', href: ICON }]],
  srcDir: 'pages',
  outDir: join(ROOT, 'site'),
  rewrites: { 'README.md': 'index.md' },
  ignoreDeadLinks: [/^http:\/\/localhost/, /\.(?:cast|json|js)$/],
  markdown: {
    // `<id>` in a heading is text. Comments, which say who writes a page, are left out.
    html: false,
    config: (markdown) =>
      markdown.core.ruler.before('normalize', 'no-comments', (state) => {
        state.src = state.src.replace(/^<!--.*?-->$/gms, '')
      }),
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: readGroups().map(({ title, pages }) => ({
      text: title,
      collapsed: title === 'Inside',
      items: pages.map(({ text, path }) => ({
        // pi is called that.
        text: text === 'pi' ? text : text[0].toUpperCase() + text.slice(1),
        link: `/${path.replace(/\.md$/, '')}`,
      })),
    })),
  },
}
