// What goes before a prompt because a new ACP session cannot know it: the agent's instructions, and what was said before.
// Stable ACP has no system prompt, so each is a marked block of the first prompt; it is sent once, and recorded with it.
import type { PrefaceKind, StartMethod } from '../../../contract/agh/session-meta.ts'

export interface PrefacePart {
  kind: PrefaceKind
  text: string
}

export interface StartFacts {
  method: StartMethod
  /** What the start before this one left to say. */
  before: readonly PrefaceKind[]
  /** The agent was given its instructions with the start. */
  takesSystemPrompt: boolean
}

/** What the next prompt must bring. A session that goes on knows what it was told. */
export function prefaceAfterStart({ method, before, takesSystemPrompt }: StartFacts): PrefaceKind[] {
  const needed = NEEDED[method] ?? before
  return needed.filter((kind) => kind !== 'instructions' || !takesSystemPrompt)
}

const NEEDED: Readonly<Partial<Record<StartMethod, readonly PrefaceKind[]>>> = {
  new: ['instructions'],
  new_with_recap: ['instructions', 'recap'],
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
