// Rounds of: change the work, interrupt kill, purge, restore or cleanup at a random moment, let other commands settle what
// was left, restore, compare every byte. The seed determines the session, the command, the way and the moment.
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRandom, type Random } from '../../src/rehearsal/random.ts'
import { fingerprint } from '../contract/workspace-world.ts'
import { aghBeside } from '../support/agh-daemon.ts'
import { type AoHome, createAoHome } from '../support/ao-home.ts'
import { git } from '../support/git-repo.ts'
import { gitWithHome, runInterrupted, WAYS, type Way } from '../support/interrupt-command.ts'
import { testProgram } from '../support/test-program.ts'
import { waitFor } from '../support/wait-for.ts'

export interface Campaign {
  workspace: 'worktree' | 'clone'
  interruptions: number
  files: number
  seed: number
  runtime?: 'tmux' | 'process' | 'acp'
}

const COMMANDS = {
  kill: (id: string) => ['session', 'kill', id],
  purge: (id: string) => ['session', 'kill', id, '--purge'],
  restore: (id: string) => ['session', 'restore', id],
  cleanup: () => ['session', 'cleanup'],
}
type Command = keyof typeof COMMANDS

export interface Tally {
  command: Command
  way: Way
  interrupted: number
  lost: number
  leaked: number
  unrestorable: number
}

export interface Outcome {
  tallies: Tally[]
  /** What went wrong, with everything needed to investigate it. */
  failures: string[]
}

interface Session {
  id: string
  files: Record<string, string>
  status: string
}

interface World extends Campaign {
  ao: AoHome
  random: Random
  sessions: Session[]
  durations: Record<Command, number>
  outcome: Outcome
}

const SESSIONS = 3

export async function interruptAtRandom(
  campaign: Campaign,
  afterwards: (clean: () => Promise<string[]>) => void,
): Promise<Outcome> {
  const { runtime = 'tmux' } = campaign
  const ao = await createAoHome({ files: manyFiles(campaign.files), projectYaml: projectYaml(campaign), runtime })
  const agh = runtime === 'acp' ? aghBeside(ao.home, ao.env) : null
  afterwards(async () => {
    for (const { id } of runtime === 'process' ? ao.list() : []) ao.run(['session', 'kill', id])
    await agh?.stop()
    return ao.cleanup()
  })
  const world: World = {
    ...campaign,
    ao,
    random: createRandom(campaign.seed),
    sessions: [],
    durations: { kill: 1_000, purge: 1_500, restore: 2_000, cleanup: 2_000 },
    outcome: { tallies: [], failures: [] },
  }
  for (let n = 0; n < SESSIONS; n++) world.sessions.push({ id: ao.spawn(), files: {}, status: '' })
  for (const session of world.sessions) changeWork(world, session)
  let interrupted = 0
  for (let round = 0; interrupted < campaign.interruptions && round < campaign.interruptions * 3; round++) {
    if (await playRound(world, round)) interrupted++
  }
  reportLeftBehind(world)
  return world.outcome
}

/** What `ao doctor` still names after it has settled everything. */
function reportLeftBehind({ ao, outcome }: World): void {
  ao.run(['doctor', '--fix'])
  const { checks } = JSON.parse(ao.run(['doctor', '--json']).stdout) as { checks: Array<Record<string, string>> }
  const left = checks.filter(({ level, name }) => level === 'warn' && name === 'left behind')
  outcome.failures.push(...left.map(({ detail }) => `leaked: at the end: ${detail}`))
}

/** false: the command was faster than the interruption. */
async function playRound(world: World, round: number): Promise<boolean> {
  const { ao, random } = world
  const session = random.pick(world.sessions)
  const command = await chooseCommand(world, session)
  const way = random.pick(WAYS)
  const afterMs = random.below(Math.ceil(world.durations[command] * 1.1))
  const wasInterrupted = await runAndInterrupt(world, { args: COMMANDS[command](session.id), command, way, afterMs })
  const tally = tallyOf(world.outcome, command, way)
  if (wasInterrupted) tally.interrupted++
  const complain = (kind: 'lost' | 'leaked' | 'unrestorable', what: string) => {
    tally[kind]++
    const where = `round ${round}: ${command} of ${session.id}, ${way} after ${afterMs} ms`
    world.outcome.failures.push(`${kind}: ${where}: ${what}`)
  }
  if (random.chance(0.4))
    ao.run(
      random.pick([
        ['doctor', '--fix'],
        ['session', 'ls'],
        ['session', 'cleanup', '--dry-run'],
      ]),
    )
  if (!isLive(world, session.id)) {
    const restored = ao.run(['session', 'restore', session.id])
    if (restored.exitCode !== 0 && !isLive(world, session.id)) {
      complain('unrestorable', restored.stderr)
      // The campaign continues with another session in its place.
      replace(world, session)
      return wasInterrupted
    }
  }
  const difference = differenceOf(world, session)
  if (difference) complain('lost', difference)
  for (const leak of await findLeaks(world)) complain('leaked', leak)
  if (difference) replace(world, session)
  else if (random.chance(0.5)) changeWork(world, session)
  return wasInterrupted
}

/** What makes sense for the session's current state; a session is first brought there. */
async function chooseCommand(world: World, { id }: Session): Promise<Command> {
  const { ao, random } = world
  const command = random.pick(['kill', 'purge', 'restore', 'restore', 'cleanup', 'cleanup'] satisfies Command[])
  if (command === 'restore') ao.ok(['session', 'kill', id, ...(random.chance(0.8) ? ['--purge'] : [])])
  if (command === 'cleanup' || (command === 'purge' && random.chance(0.3))) ao.ok(['session', 'kill', id])
  return command
}

interface Interruption {
  args: string[]
  command: Command
  way: Way
  afterMs: number
}

async function runAndInterrupt(world: World, { args, command, way, afterMs }: Interruption): Promise<boolean> {
  const took = await runInterrupted(world.ao, args, way, afterMs)
  if (took !== null) world.durations[command] = (world.durations[command] + took) / 2
  return took === null
}

function isLive({ ao }: World, id: string): boolean {
  return ao.list().some((one) => one.id === id && !['killed', 'errored', 'terminated', 'cleanup'].includes(one.status))
}

function differenceOf(world: World, session: Session): string | null {
  const path = workspaceOf(world, session.id)
  const files = filesIn(path)
  const names = new Set([...Object.keys(files), ...Object.keys(session.files)])
  const different = [...names].filter((name) => files[name] !== session.files[name])
  if (different.length > 0) return `${different.length} files differ: ${different.slice(0, 5).join(', ')}`
  const status = statusIn(world, path)
  return status === session.status ? null : `git status is\n${status}\ninstead of\n${session.status}`
}

/** Everything that no live session accounts for. */
async function findLeaks(world: World): Promise<string[]> {
  const { ao } = world
  const leaks: string[] = []
  await waitFor('git to end', () => gitWithHome(ao.home).length === 0, 20_000).catch(() => {
    leaks.push(`git still runs: ${gitWithHome(ao.home).join('; ')}`)
  })
  const base = join(workspaceOf(world, 'x'), '..')
  const known = new Set(ao.list().map(({ id }) => id))
  for (const name of existsSync(base) ? readdirSync(base) : []) {
    const id = /^\.?([a-z]+-\d+)(\.json)?$/.exec(name)?.[1]
    if (id === undefined || !known.has(id)) leaks.push(join(base, name))
  }
  const trash = join(base, '..', '.ao-trash')
  for (const name of existsSync(trash) ? readdirSync(trash) : []) leaks.push(join(trash, name))
  leaks.push(...leftIn(join(ao.repo, '.git')))
  const worktrees = git(ao.repo, ao.env, 'worktree', 'list', '--porcelain').split('\n\n').slice(1)
  for (const one of worktrees) {
    const path = /^worktree (.*)$/m.exec(one)?.[1] ?? ''
    if (!existsSync(path)) leaks.push(`registration of ${path}`)
  }
  const tmux = ao.tmuxSessions().filter((id) => !known.has(id))
  return [...leaks, ...tmux.map((id) => `tmux session ${id}`)]
}

/** Lock files and scratch directories in a git directory. */
function leftIn(gitDir: string): string[] {
  return readdirSync(gitDir, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.lock') || name.split('/').at(-1)!.startsWith('ao-rescue-'))
    .map((name) => join(gitDir, name))
}

/** New uncommitted work: staged, unstaged, untracked, deleted, and now and then a commit. */
function changeWork(world: World, session: Session): void {
  const { random } = world
  const path = workspaceOf(world, session.id)
  const write = (name: string) => writeFileSync(join(path, name), `${session.id} ${random.below(1e9)}\n`)
  mkdirSync(join(path, 'fresh'), { recursive: true })
  for (let n = 0; n < 5; n++) write(`src/d${random.below(25)}/f${random.below(Math.ceil(world.files / 25))}.txt`)
  git(path, world.ao.env, 'add', '--all', 'src')
  if (random.chance(0.2)) git(path, world.ao.env, 'commit', '--quiet', '-m', 'a step')
  for (let n = 0; n < 5; n++) write(`src/d${random.below(25)}/f${random.below(Math.ceil(world.files / 25))}.txt`)
  write(`fresh/${random.below(20)}.txt`)
  rmSync(join(path, `src/d${random.below(25)}/f${random.below(Math.ceil(world.files / 25))}.txt`), { force: true })
  session.files = filesIn(path)
  session.status = statusIn(world, path)
}

function replace(world: World, session: Session): void {
  const id = world.ao.spawn()
  Object.assign(session, { id, files: {}, status: '' })
  changeWork(world, session)
}

function filesIn(path: string): Record<string, string> {
  if (!existsSync(path)) return {}
  return Object.fromEntries(Object.entries(fingerprint(path)).filter(([name]) => !name.startsWith('.ao/')))
}

function statusIn({ ao }: World, path: string): string {
  const head = git(path, ao.env, 'rev-parse', 'HEAD')
  return `${head}\n${git(path, ao.env, '--no-optional-locks', 'status', '--porcelain', '--untracked-files=all')}`
}

function workspaceOf({ ao, workspace }: World, id: string): string {
  return join(ao.home, workspace === 'worktree' ? '.worktrees' : '.ao-clones', 'app', id)
}

function projectYaml({ workspace, runtime }: Campaign): string {
  const command =
    runtime === 'acp'
      ? [process.execPath, testProgram('acp-program'), 'cat']
      : ['sh', '-c', 'exec cat', 'agent', '{promptFile}']
  return `workspace: ${workspace}\nagent: generic\nagentConfig: { command: ${JSON.stringify(command)} }`
}

function manyFiles(count: number): Record<string, string> {
  const entries = Array.from({ length: count }, (_, n) => [
    `src/d${n % 25}/f${Math.floor(n / 25)}.txt`,
    `file ${n}\n`.repeat(20),
  ])
  return { 'README.md': '# many\n', ...Object.fromEntries(entries) }
}

function tallyOf(outcome: Outcome, command: Command, way: Way): Tally {
  const known = outcome.tallies.find((one) => one.command === command && one.way === way)
  if (known) return known
  const fresh: Tally = { command, way, interrupted: 0, lost: 0, leaked: 0, unrestorable: 0 }
  outcome.tallies.push(fresh)
  return fresh
}
