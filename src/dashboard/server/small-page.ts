// A page without a script for somebody who is not signed in: a title, some lines, and at most one button that posts to the
// page's own address.
import type { ServerResponse } from 'node:http'
import { escapeHtml } from '../../core/text/escape-markup.ts'
import { showHidden, showHiddenInLines } from '../../core/text/show-hidden.ts'

/** Without a script; the one form can only be sent to this server. */
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

const STYLE = `:root{color-scheme:light dark;font:1rem/1.5 system-ui,sans-serif}body{max-width:36rem;margin:10vh auto;padding:0 1rem}
p{white-space:pre-wrap;overflow-wrap:anywhere}p:nth-of-type(2){font:1.1rem/1.5 ui-monospace,monospace}
button{font:inherit;padding:.75rem 1.5rem;min-height:44px;min-width:44px}`

export function sendSmallPage(
  response: ServerResponse,
  status: number,
  title: string,
  lines: string[],
  button?: string,
): void {
  const form = button === undefined ? '' : `<form method="post"><button>${escapeHtml(button)}</button></form>`
  const body = lines.map((line) => `<p>${escapeHtml(showHiddenInLines(line))}</p>`).join('')
  response.setHeader('content-security-policy', POLICY)
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' })
  response.end(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
      `<meta name="robots" content="noindex"><title>${escapeHtml(showHidden(title))}</title><style>${STYLE}</style></head>` +
      `<body><main><h1>${escapeHtml(title)}</h1>${body}${form}</main></body></html>`,
  )
}
