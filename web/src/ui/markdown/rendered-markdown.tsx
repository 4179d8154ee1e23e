// Markdown as elements of React: no markup is made out of text, so Trusted Types have nothing to refuse.
import ReactMarkdown, { type Components, type ExtraProps } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { SafeLink } from '../text/safe-link.tsx'

const PLUGINS = [remarkGfm]

/** Headings inside a message are below those of the page. */
const COMPONENTS: Components = {
  h1: ({ children }) => <h4 className="mt-2 text-lg font-semibold">{children}</h4>,
  h2: ({ children }) => <h5 className="mt-2 text-base font-semibold">{children}</h5>,
  h3: ({ children }) => <h6 className="mt-1 font-semibold">{children}</h6>,
  h4: ({ children }) => <h6 className="mt-1 font-semibold">{children}</h6>,
  h5: ({ children }) => <h6 className="mt-1 font-semibold">{children}</h6>,
  h6: ({ children }) => <h6 className="mt-1 font-semibold">{children}</h6>,
  p: ({ children }) => <p className="whitespace-pre-wrap">{children}</p>,
  a: ({ href, children }) => (
    <SafeLink href={href ?? null} className="text-accent">
      {children}
    </SafeLink>
  ),
  // A picture from elsewhere would tell its server who reads this.
  img: ({ src, alt }) => (
    <SafeLink href={typeof src === 'string' ? src : null} className="text-accent">
      {alt || 'image'}
    </SafeLink>
  ),
  ul: ({ children }) => <ul className="ml-5 list-disc [&_ul]:my-0">{children}</ul>,
  ol: ({ children, start }) => (
    <ol start={start} className="ml-5 list-decimal">
      {children}
    </ol>
  ),
  li: ({ children, className }) => (
    <li className={className === 'task-list-item' ? '-ml-5 list-none' : ''}>{children}</li>
  ),
  input: ({ checked }) => (
    <span aria-hidden="true" className="mr-1.5">
      {checked ? '☑' : '☐'}
    </span>
  ),
  blockquote: ({ children }) => (
    <blockquote className="border-l-2 border-line-strong pl-3 text-muted">{children}</blockquote>
  ),
  hr: () => <hr className="my-1" />,
  pre: ({ children, node }) =>
    isSuggestion(node) ? (
      <figure className="overflow-hidden rounded-md border">
        <figcaption className="border-b bg-canvas px-2.5 py-1 text-xs text-muted">Suggested change</figcaption>
        <pre
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
          tabIndex={0}
          className="overflow-x-auto bg-good-soft p-2.5 font-mono text-xs [overflow-wrap:normal] [&_code]:bg-transparent [&_code]:p-0"
        >
          {children}
        </pre>
      </figure>
    ) : (
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        tabIndex={0}
        className="overflow-x-auto rounded-md bg-sunken p-2.5 font-mono text-xs [overflow-wrap:normal] [&_code]:bg-transparent [&_code]:p-0"
      >
        {children}
      </pre>
    ),
  code: ({ children }) => <code className="rounded bg-sunken px-1 py-0.5 font-mono text-xs">{children}</code>,
  table: ({ children }) => (
    <div className="overflow-x-auto">
      <table className="border-collapse text-sm [&_td]:border [&_td]:px-2 [&_td]:py-1 [&_th]:border [&_th]:bg-canvas [&_th]:px-2 [&_th]:py-1 [&_th]:text-left">
        {children}
      </table>
    </div>
  ),
}

/** A reviewer's replacement for the lines that the comment is about. */
function isSuggestion(pre: ExtraProps['node']): boolean {
  const [code] = pre?.children ?? []
  const names = code?.type === 'element' ? code.properties.className : null
  return Array.isArray(names) && names.includes('language-suggestion')
}

export function RenderedMarkdown({ text, className }: { text: string; className: string }) {
  return (
    <div className={`flex min-w-0 flex-col gap-2 text-sm ${className}`}>
      <ReactMarkdown remarkPlugins={PLUGINS} components={COMPONENTS}>
        {text}
      </ReactMarkdown>
    </div>
  )
}
