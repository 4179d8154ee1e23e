// Who wrote a comment with ao. Agents, people and ao share one account on a forge, so the account does not tell; a comment that
// ao posts ends with a line that the forge does not show. Pure.

export type CommentWriter = { kind: 'agent'; session: string } | { kind: 'person' } | { kind: 'ao' }

export interface SignedComment {
  /** Without the signature. */
  body: string
  writer: CommentWriter | null
}

const OPENING = '<!-- ao: written by '
const SIGNATURE = /^<!-- ao: written by (?:the agent of ([A-Za-z0-9._-]{1,128})|(a person|ao itself)) -->$/

const WORDS = { person: 'a person', ao: 'ao itself' } as const

export function signComment(body: string, writer: CommentWriter): string {
  const who = writer.kind === 'agent' ? `the agent of ${writer.session}` : WORDS[writer.kind]
  // A signature that was copied along would speak for somebody else.
  return `${readSignature(body).body}\n\n${OPENING}${who} -->`
}

/** Only the last one counts. */
export function readSignature(text: string): SignedComment {
  let body = text.trimEnd()
  let writer: CommentWriter | null = null
  while (body.endsWith('-->')) {
    const at = body.lastIndexOf(OPENING)
    const found = at === -1 ? null : SIGNATURE.exec(body.slice(at))
    if (found === null) break
    const kind = found[2] === WORDS.ao ? 'ao' : 'person'
    writer ??= found[1] === undefined ? { kind } : { kind: 'agent', session: found[1] }
    body = body.slice(0, at).trimEnd()
  }
  return writer === null ? { body: text, writer } : { body, writer }
}
