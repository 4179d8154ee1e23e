// What goes before a prompt because a new ACP session cannot know it: the agent's instructions, and what was said before.
// ACP has no system prompt, so each is a marked block of the first prompt; it is sent once, and recorded with the prompt.
import type { PrefaceKind, StartMethod } from '../../contract/agh/session-meta.ts'

export interface PrefacePart {
  kind: PrefaceKind
  text: string
}

/** What the next prompt must bring, after a start. A session that goes on knows what it was told; `before` was not sent yet. */
export function prefaceAfterStart(method: StartMethod, before: readonly PrefaceKind[]): PrefaceKind[] {
  if (method === 'new') return ['instructions']
  return method === 'new_with_recap' ? ['instructions', 'recap'] : [...before]
}

export function buildPreface(
  kinds: readonly PrefaceKind[],
  texts: Readonly<Record<PrefaceKind, string>>,
): PrefacePart[] {
  return kinds.map((kind) => ({ kind, text: texts[kind].trim() })).filter(({ text }) => text !== '')
}

const ABOUT: Readonly<Record<PrefaceKind, string>> = {
  instructions: 'Instructions for this whole session, from its configuration:',
  recap: 'This continues an earlier conversation that you no longer have. What was said so far:',
}

export function prefaceBlock({ kind, text }: PrefacePart): string {
  return `<agh-${kind}>\n${ABOUT[kind]}\n\n${text}\n</agh-${kind}>`
}
