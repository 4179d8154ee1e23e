// A person gives a session a name of their own, which stays whatever the agent says.
import { AoError } from '../../contract/errors.ts'
import type { ManagerContext } from '../context.ts'
import { requireActive } from '../observe/find-session.ts'

const LONGEST_NAME = 200

/** null: it is called after its task again. Returns the name as it is stored. */
export async function rename(context: ManagerContext, sessionId: string, title: string | null): Promise<string | null> {
  const { store } = requireActive(context, sessionId)
  const name = title === null ? null : oneLine(title)
  if (name === '') {
    throw new AoError('USAGE', 'The name is empty', { hint: `To drop a name: ao session rename ${sessionId} --reset` })
  }
  if (name !== null && name.length > LONGEST_NAME)
    throw new AoError('USAGE', `The name is longer than ${LONGEST_NAME} characters`)
  await store.update(sessionId, { pinnedSummary: name }, ({ pinnedSummary }) =>
    (pinnedSummary ?? null) === name ? [] : [{ type: 'session.renamed', title: name }],
  )
  return name
}

/** Names are shown in tables and titles: no line breaks, and nothing that a terminal obeys. */
function oneLine(text: string): string {
  return text
    .replace(/\p{C}+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}
