// Whether a comment on a pull request is the words of its own agent. Agents often share the account of the person who reviews
// them, so a signature says more than the account. Pure.
import type { Author, ReviewComment } from '../../contract/pull.ts'
import { readSignature } from '../../core/forge/comment-signature.ts'

export interface Comment {
  /** As the forge has it. */
  text: string
  author: Author
  /** It is written by whoever opened the pull request. */
  isByOpener: boolean
  /** Unsigned words of that account are taken for the agent's: it may answer with a command of its own. */
  openerIsAgent: boolean
}

export function commentAuthor(comment: Comment): Pick<ReviewComment, 'body' | 'isAgent' | 'isOwn'> {
  const { text, author, isByOpener, openerIsAgent } = comment
  const { body, writer } = readSignature(text)
  // Anybody can type a signature.
  if (writer === null || !(author.isMember || isByOpener)) {
    return { body: text, isAgent: false, isOwn: isByOpener && openerIsAgent }
  }
  return { body, isAgent: writer.kind === 'agent', isOwn: writer.kind !== 'person' }
}
