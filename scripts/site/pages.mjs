// Which pages there are and what each is about, from the lists at the end of README.md: for the side bar of the site and for llms.txt.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** `**Start**: [getting started](docs/getting-started.md) · …` */
export function readGroups() {
  const lines = readFileSync(join(ROOT, 'README.md'), 'utf8').matchAll(/^\*\*(\w[\w ]*)\*\*.*?: (\[.*)$/gm)
  return [...lines].map(([, title, list]) => ({
    title,
    pages: [...list.matchAll(/\[([^\]]+)\]\(([^)]+\.md)\)/g)].map(([, text, path]) => ({ text, path })),
  }))
}

/** The pages for programs, as llmstxt.org describes it. Each is beside it as Markdown. */
export function llmsText() {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
  const [, title, about] = /^# (.+)\n\n(.+)\n/.exec(readme)
  const groups = readGroups().map(({ title: group, pages }) =>
    [`## ${group}`, '', ...pages.map(({ path }) => describe(path))].join('\n'),
  )
  return `# ${title}\n\n> ${about}\n\n${groups.join('\n\n')}\n`
}

/** With its first sentence, if it begins with prose. */
function describe(path) {
  const [heading, first = ''] = readFileSync(join(ROOT, path), 'utf8')
    .replaceAll(/^<!--.*?-->\n+/gms, '')
    .split('\n\n')
  const sentence = /^[A-Z`]/.test(first) && !first.startsWith('```') ? plain(first).split(/(?<=[.:]) /)[0] : ''
  return `- [${plain(heading.replace(/^# /, ''))}](${path})${sentence === '' ? '' : `: ${sentence.replace(/[.:]$/, '')}`}`
}

function plain(text) {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replaceAll(/[`*]/g, '')
}
