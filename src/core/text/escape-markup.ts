// Other people's text inside markup.

/** For text between tags: HTML, XML, and what Slack and notification servers take for it. */
export function escapeTags(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** For attributes too. */
export function escapeHtml(text: string): string {
  return escapeTags(text).replaceAll('"', '&quot;').replaceAll("'", '&#39;')
}
