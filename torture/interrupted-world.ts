// A home with sessions that have work, for commands that are interrupted: what a session must still have afterwards, and what must
// not be left.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { aghBeside } from '../test/support/agh-daemon.ts'
import { type AoHome, createAoHome } from '../test/support/ao-home.ts'
import { git } from '../test/support/git-repo.ts'
import { gitWithHome } from '../test/support/interrupt-command.ts'
import { testProgram } from '../test/support/test-program.ts'
import { waitFor } from '../test/support/wait-for.ts'
import type { Campaign, Try } from './campaign.ts'
import { filesBelow, type SeenFiles } from './work-files.ts'

/** The built library: what looks after the commands needs no process of its own for each question. */
const { createPluginRegistry, createSessionManager, loadConfig } = createRequire(import.meta.url)(
  '../dist/index.js',
) as typeof import('../src/index.ts')

export interface Kind {
  runtime: 'tmux' | 'process' | 'acp'
  workspace: 'worktree' | 'clone'
  files: number
}

export interface WorkSession {
  id: string
  /** null: it has just begun and has no work to be lost. */
  work: { files: Record<string, string>; status: string } | null
  state: 'live' | 'ended' | 'archived'
  /** What was last done to it: it answers for what is wrong now. */
  last: Try | null
}

export interface World extends Kind {
  ao: AoHome
  one: Campaign
  /** Another ao on the same home, which observes, settles and looks. */
  manager: ReturnType<typeof createSessionManager>
  sessions: WorkSession[]
  seen: SeenFiles
  /** Ids of what the runtime runs; null where it cannot be asked from outside. */
  running(): string[] | null
}

export async function createWorld(kind: Kind, one: Campaign): Promise<World> {
  const { runtime, workspace } = kind
  // It says something at once, so that no message waits for its first words.
  const program = ['sh', '-c', 'echo ready; cat >> "$HOME/heard-$AO_SESSION"', 'agent', '{promptFile}']
  const command = runtime === 'acp' ? [process.execPath, testProgram('acp-program'), ...program.slice(0, 3)] : program
  const projectYaml = `workspace: ${workspace}\nagent: generic\nagentConfig: { command: ${JSON.stringify(command)} }`
  const ao = await createAoHome({ runtime, projectYaml, files: manyFiles(kind.files) })
  const agh = runtime === 'acp' ? aghBeside(ao.home, ao.env) : null
  const manager = await openManager(ao)
  one.afterwards(async () => {
    if (runtime === 'process')
      await Promise.all((await manager.list()).map(({ id }) => manager.kill(id).catch(() => undefined)))
    await agh?.stop()
    return ao.cleanup()
  })
  const inAgh = () => agh!.sessions().filter(({ state }) => state !== 'stopped')
  const running = {
    tmux: () => ao.tmuxSessions(),
    // Its hosts are counted by the strays at the end.
    process: () => null,
    acp: () => inAgh().map(({ driver }) => driver!.key.replace(/^[0-9a-f]+-/, '')),
  }[runtime]
  return { ...kind, ao, one, manager, sessions: [], seen: new Map(), running }
}

async function openManager({ repo, env, home, program }: AoHome): Promise<World['manager']> {
  const config = loadConfig({ path: join(repo, 'agent-orchestrator.yaml'), env, home })
  const registry = createPluginRegistry({ env, home })
  await registry.loadBuiltins(config)
  return createSessionManager({ config, registry, env, home, aoCommand: [process.execPath, program] })
}

/** As `ao doctor --fix` does: finishes or rolls back what was interrupted, and removes what is left of it. */
export async function settle({ manager, one }: World): Promise<void> {
  await manager.recover()
  for (const { path, remove } of await manager.findLeftovers())
    await remove?.().catch((error: Error) => one.broken(`${path} cannot be removed: ${error.message}`))
}

const ENDED = ['killed', 'errored', 'terminated', 'cleanup', 'done']

/** Which sessions are there, as `ao session ls` has them; those of an interrupted spawn are sessions too. */
export async function observe(world: World): Promise<void> {
  const listed = new Map<string, string>((await world.manager.list()).map(({ id, status }) => [id, status]))
  for (const session of world.sessions) {
    const status = listed.get(session.id)
    session.state = status === undefined ? 'archived' : ENDED.includes(status) ? 'ended' : 'live'
    listed.delete(session.id)
  }
  for (const [id, status] of listed)
    world.sessions.push({ id, work: null, state: ENDED.includes(status) ? 'ended' : 'live', last: null })
}

/** What the session has lost. */
export function lossOf(world: World, { id, work }: WorkSession): string | null {
  if (work === null) return null
  const path = workspaceOf(world, id)
  const files = filesIn(world, path)
  const names = new Set([...Object.keys(files), ...Object.keys(work.files)])
  const different = [...names].filter((name) => files[name] !== work.files[name])
  if (different.length > 0) return `${different.length} files differ: ${different.slice(0, 5).join(', ')}`
  const status = statusIn(world, path)
  return status === work.status ? null : `git status is\n${status}\ninstead of\n${work.status}`
}

/** New uncommitted work: staged, unstaged, untracked, deleted, and now and then a commit. */
export function changeWork(world: World, session: WorkSession): void {
  const { random } = world.one
  const path = workspaceOf(world, session.id)
  const some = () => `src/d${random.below(25)}/f${random.below(Math.ceil(world.files / 25))}.txt`
  const write = (name: string) => {
    // git keeps no directory whose files were all deleted.
    mkdirSync(dirname(join(path, name)), { recursive: true })
    writeFileSync(join(path, name), `${session.id} ${random.below(1e9)}\n`)
  }
  for (let n = 0; n < 5; n++) write(some())
  git(path, world.ao.env, 'add', '--all', 'src')
  if (random.chance(0.2)) git(path, world.ao.env, 'commit', '--quiet', '-m', 'a step')
  for (let n = 0; n < 5; n++) write(some())
  write(`fresh/${random.below(20)}.txt`)
  rmSync(join(path, some()), { force: true })
  session.work = { files: filesIn(world, path), status: statusIn(world, path) }
}

/** Everything that no session accounts for. */
export async function leaksOf(world: World): Promise<string[]> {
  const { ao } = world
  const leaks: string[] = []
  await waitFor('git to end', () => gitWithHome(ao.home).length === 0, 20_000).catch(() => {
    leaks.push(`git still runs: ${gitWithHome(ao.home).join('; ')}`)
  })
  const there = new Set(world.sessions.flatMap(({ id, state }) => (state === 'archived' ? [] : [id])))
  const cached = new Set([...world.sessions.map(({ id }) => id), ...ao.archived()])
  const base = join(workspaceOf(world, 'x'), '..')
  for (const name of existsSync(base) ? readdirSync(base) : []) {
    const id = /^\.?([a-z]+-\d+)(\.json)?$/.exec(name)?.[1]
    if (id === undefined || !there.has(id)) leaks.push(join(base, name))
  }
  const trash = join(base, '..', '.ao-trash')
  for (const name of existsSync(trash) ? readdirSync(trash) : []) leaks.push(join(trash, name))
  leaks.push(...leftIn(join(ao.repo, '.git')))
  const registered = join(ao.repo, '.git', 'worktrees')
  for (const name of existsSync(registered) ? readdirSync(registered) : []) {
    const file = join(registered, name, 'gitdir')
    const path = existsSync(file) ? readFileSync(file, 'utf8').trim() : null
    if (path === null || !existsSync(path)) leaks.push(`registration of ${path ?? name}`)
  }
  const branches = ao.branches().flatMap((name) => (name.startsWith('session/') ? [name.slice(8)] : []))
  for (const id of [...ao.stateDirs(), ...branches]) if (!cached.has(id)) leaks.push(`state or branch of ${id}`)
  const live = world.sessions.flatMap(({ id, state }) => (state === 'live' ? [id] : []))
  const running = world.running()
  if (running !== null && running.toSorted().join() !== live.toSorted().join())
    leaks.push(`agents: ${running.join()}, live sessions: ${live.join()}`)
  return leaks
}

/** Lock files and scratch directories in a git directory. */
function leftIn(gitDir: string): string[] {
  return readdirSync(gitDir, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.lock') || name.split('/').at(-1)!.startsWith('ao-rescue-'))
    .map((name) => join(gitDir, name))
}

/** Lines that a session's agent was told. */
export function heardBy({ ao }: World, id: string): string[] {
  const file = join(ao.home, `heard-${id}`)
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
}

function filesIn({ seen }: World, path: string): Record<string, string> {
  if (!existsSync(path)) return {}
  return Object.fromEntries(Object.entries(filesBelow(path, seen)).filter(([name]) => !name.startsWith('.ao/')))
}

function statusIn({ ao }: World, path: string): string {
  if (!existsSync(path)) return 'no workspace'
  return git(path, ao.env, '--no-optional-locks', 'status', '--porcelain=v2', '--branch', '--untracked-files=all')
}

function workspaceOf({ ao, workspace }: World, id: string): string {
  return join(ao.home, workspace === 'worktree' ? '.worktrees' : '.ao-clones', 'app', id)
}

function manyFiles(count: number): Record<string, string> {
  const entries = Array.from({ length: count }, (_, n) => [
    `src/d${n % 25}/f${Math.floor(n / 25)}.txt`,
    `file ${n}\n`.repeat(20),
  ])
  return { 'README.md': '# many\n', ...Object.fromEntries(entries) }
}
