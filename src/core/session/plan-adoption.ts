// What of the things that ao did not start could become a session, and why not. Pure: everything was read before.
import type { AdoptedKind } from '../../contract/record-values.ts'

export interface FoundWork {
  /** The project's own checkout: agents may have worked there, too. */
  main: { path: string; branch: string | null }
  defaultBranch: string
  worktrees: ReadonlyArray<{ path: string; branch: string | null }>
  /** Without those that are checked out somewhere. */
  branches: ReadonlyArray<{ name: string; at: Date | null }>
  conversations: ReadonlyArray<{ agent: string; id: string; directory: string; at: Date; title: string | null }>
  running: readonly RunningAgent[]
  /** What sessions have already. */
  taken: { paths: ReadonlySet<string>; branches: ReadonlySet<string>; conversations: ReadonlySet<string> }
}

/** An agent that somebody started without ao. */
export interface RunningAgent {
  agent: string
  pid: number
  directory: string
  /** null: in no terminal that a runtime could type into. */
  terminal: { name: string; where: string } | null
}

export interface Adoptable {
  kind: AdoptedKind
  /** What a person types to name it. */
  name: string
  /** Where the session would work; null: in a worktree that ao makes. */
  directory: string | null
  branch: string | null
  /** null: the project's usual one. */
  agent: string | null
  /** The agent's own conversation that is continued; null: it begins a new one, or goes on where it is. */
  conversation: string | null
  /** Of an agent that goes on where it is; null: one is started. */
  pid: number | null
  /** Written by other programs, for people to read. */
  title: string | null
  at: Date | null
  /** Why not now; null: it can be adopted. */
  refusal: { why: string; hint: string } | null
}

export function planAdoption(found: FoundWork): Adoptable[] {
  const worktrees = found.worktrees.filter(({ path }) => !found.taken.paths.has(path))
  const fresh = newestFirst(found.conversations.filter(({ id }) => !found.taken.conversations.has(id)))
  const heldIn = (path: string) => fresh.filter(({ directory }) => directory === path)
  const checkouts = [found.main, ...worktrees]
  const work = worktrees.map((worktree): Adoptable => {
    const [last] = heldIn(worktree.path)
    return {
      ...{ kind: 'checkout', name: worktree.path, directory: worktree.path, branch: worktree.branch },
      ...{ agent: last?.agent ?? null, conversation: last?.id ?? null, title: last?.title ?? null },
      ...{ at: last?.at ?? null, pid: null },
      refusal: refusalOf(found.running.filter(({ directory }) => directory === worktree.path)),
    }
  })
  const continued = new Set(work.map(({ conversation }) => conversation))
  const talks = checkouts.flatMap((checkout) =>
    heldIn(checkout.path)
      .filter(({ id }) => !continued.has(id))
      .map(({ agent, id, at, title }): Adoptable => {
        const isBusy = (one: RunningAgent) =>
          one.directory === checkout.path && (checkout !== found.main || one.agent === agent)
        const refusal = refusalOf(found.running.filter(isBusy))
        return {
          ...{ kind: 'conversation', name: id, directory: checkout.path, branch: checkout.branch },
          ...{ agent, conversation: id, pid: null, title, at, refusal },
        }
      }),
  )
  const branches = found.branches
    .filter(({ name }) => name !== found.defaultBranch && !found.taken.branches.has(name))
    .map(({ name, at }): Adoptable => {
      return {
        ...{ kind: 'branch', name, directory: null, branch: name, agent: null, conversation: null, title: null },
        ...{ at, pid: null, refusal: null },
      }
    })
  return [...terminalsIn(checkouts, found.running), ...work, ...talks, ...branches]
}

function terminalsIn(checkouts: ReadonlyArray<FoundWork['main']>, running: readonly RunningAgent[]): Adoptable[] {
  return running.flatMap(({ agent, pid, directory, terminal }): Adoptable[] => {
    const checkout = checkouts.find(({ path }) => path === directory)
    if (!terminal || !checkout) return []
    return [
      {
        ...{ kind: 'terminal', name: terminal.name, directory, branch: checkout.branch, agent, conversation: null },
        ...{ pid, title: terminal.where, at: null, refusal: null },
      },
    ]
  })
}

/** Two agents in one directory, or one conversation held twice, would spoil each other's work. */
function refusalOf([busy]: readonly RunningAgent[]): Adoptable['refusal'] {
  if (!busy) return null
  const why = `${busy.agent} is running there as process ${busy.pid}`
  if (busy.terminal) return { why, hint: `Adopt it as it runs with: ao adopt ${busy.terminal.name}` }
  return { why, hint: 'End it there first; in a pane of tmux it could be adopted as it runs' }
}

function newestFirst<T extends { at: Date }>(list: readonly T[]): T[] {
  return list.toSorted((a, b) => b.at.getTime() - a.at.getTime())
}

/** By what a person typed: its name, or the branch of a worktree. */
export function findAdoptable(all: readonly Adoptable[], name: string): Adoptable | null {
  return all.find((one) => one.name === name) ?? all.find((one) => one.directory && one.branch === name) ?? null
}

/** Would the same happen? Anybody may have changed something since a person read what would. */
export function isSameAdoption(one: Adoptable, other: Adoptable): boolean {
  const facts = ({ kind, name, directory, branch, agent, conversation, pid }: Adoptable) =>
    JSON.stringify([kind, name, directory, branch, agent, conversation, pid])
  return facts(one) === facts(other)
}

/** Of its own branch alone a session knows its pull request: in the project's own checkout that may be anybody's. */
export function ownBranch({ branch }: Pick<Adoptable, 'branch'>, defaultBranch: string): string | undefined {
  return branch === null || branch === defaultBranch ? undefined : branch
}
