// A home of `ao` for `nth-failure.ts`, and what its commands are prepared and judged with.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runHere } from '../support/ao-here.ts'
import { type AoHome, createAoHome, type ListedSession, type RunResult } from '../support/ao-home.ts'
import type { Stage } from './nth-failure.ts'
import { message } from './power-next.ts'
import { createSnapshots, endAll, straysOf } from './snapshots.ts'

const YAML = `agent: generic
agentConfig: { command: [sh, -c, 'echo ready; exec cat', agent, "{promptFile}"] }
tracker: local
scm: local`

export interface AoStage extends Stage {
  ao: AoHome
  /** Counts up: no two texts are the same. */
  next(): number
  /** The home as it was made once, with nothing running in it; what the last command left is ended first. */
  as(name: string, make: () => Promise<unknown>): Promise<void>
}

const FRESH = 'with a project'

export async function createAoStage(): Promise<AoStage> {
  const ao = await createAoHome({ runtime: 'process', projectYaml: YAML, files: { 'README.md': '# app\n' } })
  const snapshots = createSnapshots(ao.home)
  let [count, isCopy] = [0, false]
  snapshots.take(FRESH)
  const endSessions = async () => {
    for (const { id, status } of await list(ao)) if (isLive(status)) await runHere(['session', 'kill', id], ao)
  }
  return {
    ao,
    home: ao.home,
    run: ao.run,
    ask: (args) => runHere(args, ao),
    next: () => ++count,
    async as(name, make) {
      await endSessions().catch(() => undefined)
      await endAll(ao.home)
      if (!snapshots.has(name)) {
        snapshots.bring(FRESH)
        await make()
        await endSessions()
        snapshots.take(name)
      } else snapshots.bring(name)
      isCopy = true
    },
    async leaks() {
      const found = await leaksOf(ao)
      if (!isCopy) return found
      isCopy = false
      await endSessions()
      return [...found, ...(await straysOf(ao.home))]
    },
    async cleanup() {
      await endSessions()
      snapshots.remove()
      return ao.cleanup()
    },
  }
}

export async function list(ao: Pick<AoHome, 'repo' | 'env'>): Promise<ListedSession[]> {
  return (JSON.parse((await ok(ao, ['session', 'ls', '--all', '--json'])).stdout) as { sessions: ListedSession[] })
    .sessions
}

export async function ok(ao: Pick<AoHome, 'repo' | 'env'>, args: string[]): Promise<RunResult> {
  const answer = await runHere(args, ao)
  if (answer.exitCode !== 0) throw new Error(message(args, answer))
  return answer
}

export const isLive = (status: string) =>
  !['killed', 'errored', 'terminated', 'cleanup', 'done', 'merged', 'gone'].includes(status)
const WORK = 'work that nobody committed\n'

export async function live({ ao }: Pick<AoStage, 'ao'>): Promise<string> {
  const found = (await list(ao)).find(({ status }) => isLive(status))
  if (found) return found.id
  const { stdout } = await ok(ao, ['spawn', '--prompt', 'work', '--json'])
  const { id } = (JSON.parse(stdout) as { session: ListedSession }).session
  writeFileSync(join(ao.worktree(id), 'work.txt'), WORK)
  return id
}

/** In a copy of its own. */
export async function killed(stage: AoStage, options: string[] = []): Promise<string> {
  const make = async () => ok(stage.ao, ['session', 'kill', await live(stage), ...options])
  await stage.as(`killed ${options.join(' ')}`, make)
  return 'app-1'
}

export const statusOf = async ({ ao }: AoStage, id: string) =>
  (await list(ao)).find((one) => one.id === id)?.status ?? 'gone'

/** The same once more, now that nothing fails. */
export async function* again(stage: AoStage, args: string[], isDone: RegExp): AsyncGenerator<string> {
  const answer = await stage.ask(args)
  if (answer.exitCode !== 0 && !isDone.test(`${answer.stdout}${answer.stderr}`))
    yield `repeated: ${message(args, answer)}`
}

export function* hasWork({ ao }: AoStage, id: string): Generator<string> {
  const path = join(ao.worktree(id), 'work.txt')
  const found = existsSync(path) ? readFileSync(path, 'utf8') : null
  if (found !== WORK) yield `work.txt of ${id} is ${JSON.stringify(found)}`
}

async function leaksOf(ao: AoHome): Promise<string[]> {
  const sessions = await list(ao)
  const existing = new Set([...sessions.map(({ id }) => id), ...ao.archived()])
  // What was imported has a branch that is not named like it.
  const branches = new Set(sessions.map(({ branch }) => branch))
  const own = ao.branches().filter((name) => name.startsWith('session/') && !branches.has(name))
  const owned = [...ao.worktrees(), ...ao.stateDirs(), ...own.map((name) => name.slice(8))]
  const locks = readdirSync(join(ao.repo, '.git'), { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.lock') || name.includes('ao-rescue-') || name.includes('tmp_objdir'),
  )
  const lost = owned.filter((id) => !existing.has(id))
  return [...lost.map((id) => `${id} belongs to no session`), ...locks.map((name) => `.git/${name} was left`)]
}
