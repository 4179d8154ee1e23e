// Who this browser is to the server, and what it may do. The server decides; the page only says so in advance.
import { useAnswer } from './answered.tsx'
import { type AnswerOf, ask } from './client.ts'

type Access = AnswerOf<'GET /api/access'>

/** undefined: not known yet, or not signed in. */
export function useAccess(): Access | undefined {
  return useAnswer(['access'], 'GET /api/access').data
}

/** Everything that the page has loaded goes with it. */
export async function signOut(): Promise<void> {
  await ask('POST /api/sign-out', { body: {} })
  window.location.reload()
}
