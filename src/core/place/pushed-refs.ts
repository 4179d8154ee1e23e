// What an agent in a place may push: git's own lines of its hook, read one by one, and the session's own branches.

/** A push names a handful of branches. */
export const MOST_PUSHED = 32

export interface PushedRef {
  old: string
  now: string
  ref: string
}

/** null: not a line of git's. */
export function parsePushedRef(line: string): PushedRef | null {
  const [, old, now, ref] = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) (\S+)$/.exec(line) ?? []
  return ref === undefined ? null : { old: old!, now: now!, ref }
}

/** An agent in a place may push its own branches and nothing else. null: it may. */
export function refusePush(
  { ref, now }: PushedRef,
  { own, defaultBranch }: { own: readonly string[]; defaultBranch: string },
): string | null {
  const branch = /^refs\/heads\/(.+)$/.exec(ref)?.[1]
  if (branch === undefined) return `only branches are pushed from a place, not ${ref}`
  if (/^0+$/.test(now)) return `${branch} is not deleted from a place`
  if (branch === defaultBranch) return `${branch} is the default branch; open a pull request instead`
  if (!own.includes(branch)) return `${branch} is not a branch of this session (${own.join(', ')})`
  return null
}
