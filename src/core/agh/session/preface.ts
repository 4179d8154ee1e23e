// What is prepended to a prompt because a new ACP session cannot know it: the agent's instructions, the earlier
// conversation, and of a copied one where it continues. Stable ACP has no system prompt, so each is a marked block of the first prompt; it is sent once, and
// recorded with it.
import type { PrefaceKind, StartMethod } from '../../../contract/agh/session-meta.ts'

export interface PrefacePart {
  kind: PrefaceKind
  text: string
}

export interface StartFacts {
  method: StartMethod
  /** What the previous start left unsent. */
  before: readonly PrefaceKind[]
  /** The agent received its instructions at the start. */
  takesSystemPrompt: boolean
}

/** What the next prompt must carry. A session that continues already has it. */
export function prefaceAfterStart({ method, before, takesSystemPrompt }: StartFacts): PrefaceKind[] {
  const needed = method === 'fork' ? [...new Set([...before, method])] : (NEEDED[method] ?? before)
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
  recap: 'This continues an earlier conversation that you no longer have. The conversation so far:',
  fork: 'This conversation began as a copy of another one, which continues without you. From now on you work in this directory only, whatever was said before:',
}

export function prefaceBlock({ kind, text }: PrefacePart): string {
  return `<agh-${kind}>\n${ABOUT[kind]}\n\n${text}\n</agh-${kind}>`
}
