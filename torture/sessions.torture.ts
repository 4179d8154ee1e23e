// npm run torture -- sessions: many commands at once, several commands for one session, and the end of the tmux server.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sleep } from '../src/lib/clock.ts'
import { runHere } from '../test/support/ao-here.ts'
import { type AoHome, createAoHome, type ListedSession } from '../test/support/ao-home.ts'
import { git } from '../test/support/git-repo.ts'
import { AO, type AoWorld, buildAo, createAoWorld } from '../test/support/run-ao.ts'
import { type Campaign, campaign, triesOr } from './campaign.ts'

buildAo()

async function createHome({ afterwards }: Campaign): Promise<AoHome> {
  const ao = await createAoHome()
  afterwards(() => ao.cleanup())
  return ao
}

/** How many agents run below this session's terminal. */
function agentsOf(ao: AoHome, id: string): number {
  return ao.tmuxSessions().filter((one) => one === id).length
}

async function statuses(ao: AoHome): Promise<Map<string, string>> {
  const { stdout } = await runHere(['session', 'ls', '--all', '--json'], ao)
  const { sessions } = JSON.parse(stdout) as { sessions: ListedSession[] }
  return new Map(sessions.map(({ id, status }) => [id, status]))
}

/** The exit code of a command that gave up. */
const WAITED = 5

campaign('killed tmux server', async (one) => {
  const ao = await createHome(one)
  const ids = Array.from({ length: 8 }, () => ao.spawn())
  for (let round = 0; round * ids.length < triesOr(48); round++) {
    for (const id of ids) writeFileSync(join(ao.worktree(id), 'work.txt'), `${round} ${id}\n`)
    const pid = execFileSync('tmux', ['-L', 'ao', 'display', '-p', '#{pid}'], { env: ao.env, encoding: 'utf8' })
    process.kill(Number(pid), 'SIGKILL')
    // An agent that has not died of it yet is at work.
    let listed = await statuses(ao)
    const isOver = () => ids.every((id) => listed.get(id) === 'killed')
    for (let n = 0; n < 50 && !isOver(); n++) listed = await sleep(100).then(() => statuses(ao))
    const codes = await Promise.all(ids.map((id) => runBeside(ao, ['session', 'restore', id])))
    // On a busy machine one may give up waiting for the others, and says so.
    const again = ids.filter((_, n) => codes[n] === WAITED)
    const refused = new Map(again.map((id) => [id, ao.run(['session', 'restore', id]).stderr]))
    for (const _ of again) one.noted('restored by the second command')
    const running = ao.tmuxSessions()
    for (const [n, id] of ids.entries()) {
      const attempt = one.tried('sessions')
      const broken = (what: string) => attempt.broken(`round ${round}: ${id} ${what}`)
      if (listed.get(id) !== 'killed') broken(`was ${listed.get(id)}`)
      if (codes[n] !== 0 && codes[n] !== WAITED) broken(`was not restored: exit code ${codes[n]}`)
      const agents = running.filter((other) => other === id).length
      if (agents !== 1) broken(`has ${agents} agents: ${refused.get(id) ?? ''}`)
      if (readFileSync(join(ao.worktree(id), 'work.txt'), 'utf8') !== `${round} ${id}\n`) broken('has lost its work')
    }
    one.judged()
  }
})

interface World extends AoWorld {
  /** In this process: before the commands and after them nobody is in a hurry. */
  ask<T>(args: string[]): Promise<T>
  ids(): Promise<string[]>
  start(args: string[]): Promise<{ code: number | null; stderr: string }>
}

async function createLoopWorld({ afterwards }: Campaign): Promise<World> {
  const project = (path: string) => `    path: ${path}\n    agent: demo\n    tracker: local\n    scm: local\n`
  const projects = `projects:\n  app:\n${project('.')}  api:\n${project('.')}    runtime: process\n    sessionPrefix: api\n`
  const world = createAoWorld({ config: `port: 0\nlifecycle: { pollSeconds: 1 }\n${projects}` })
  afterwards(async () => {
    await world.ao(['stop', '--sessions'])
    return world.temp.cleanup()
  })
  await world.ao(['config', 'trust', '--yes'])
  await world.ao(['start'])
  const here = { env: world.temp.env, repo: world.repo }
  const ask: World['ask'] = async (args) => JSON.parse((await runHere([...args, '--json'], here)).stdout)
  const listed = async () => (await ask<{ sessions: Array<{ id: string }> }>(['session', 'ls', '--all'])).sessions
  return {
    ...world,
    ask,
    ids: async () => (await listed()).map(({ id }) => id),
    start: (args) => world.ao(args, { timeoutMs: 120_000 }),
  }
}

/** Refusals that a person expects when somebody else was faster. */
const LOST_RACE =
  /is being|is already|is not running|no session|is archived|not restorable|is busy|another|cannot be restored|still runs|is running|no longer running/i

campaign('parallel commands', async (one) => {
  const world = await createLoopWorld(one)
  const spawned: string[] = []
  for (let batch = 0; batch * 10 < triesOr(60); batch++) {
    const ids = await world.ids()
    const commands = Array.from({ length: 10 }, (_, n) => (n < 6 ? spawnCommand(one) : otherCommand(one, ids)))
    const results = await Promise.all(commands.map(async (args) => ({ args, ...(await world.ao(args, LONG)) })))
    for (const { args, code, stdout, stderr } of results) {
      one.tried(args[0] === 'spawn' ? 'spawns' : 'other commands')
      if (args[0] === 'spawn' && code === 0) spawned.push(/^SESSION=(.*)$/m.exec(stdout)![1]!)
      if (code !== 0 && (args[0] === 'spawn' || !LOST_RACE.test(stderr))) {
        one.broken(`ao ${args.join(' ')} exited with ${code}: ${stderr || stdout}`)
      }
      if (/went wrong inside/.test(stderr)) one.broken(`ao ${args.join(' ')}: ${stderr}`)
    }
    if (batch % JUDGED_EVERY !== JUDGED_EVERY - 1) continue
    await judge(world, one, spawned)
    one.judged()
  }
  await judge(world, one, spawned)
})

/** In batches. */
const JUDGED_EVERY = 4

async function judge(world: World, one: Campaign, spawned: readonly string[]): Promise<void> {
  if (new Set(spawned).size !== spawned.length) one.broken(`an id was given twice: ${spawned.toSorted().join(' ')}`)
  await world.ask(['doctor', '--fix'])
  for (const leak of await leaksOf(world)) one.broken(leak)
}

const LONG = { timeoutMs: 180_000 }

function spawnCommand({ random }: Campaign): string[] {
  return ['spawn', '--project', random.pick(['app', 'api']), '--prompt', 'demo: say hello\ndemo: ask Which?']
}

function otherCommand({ random }: Campaign, ids: string[]): string[] {
  if (ids.length === 0) return ['doctor']
  const id = random.pick(ids)
  return random.pick([
    ['session', 'kill', id],
    ['session', 'kill', id, '--purge'],
    ['session', 'restore', id],
    ['send', id, 'hello', '--no-wait'],
    ['session', 'cleanup'],
    ['doctor'],
    ['status'],
  ])
}

async function leaksOf(world: World): Promise<string[]> {
  const { checks } = await world.ask<{ checks: Array<Record<string, string>> }>(['doctor'])
  const left = checks
    .filter(({ level, name }) => level === 'warn' && name === 'left behind')
    .map(({ detail }) => detail!)
  const paths = git(world.repo, world.temp.env, 'worktree', 'list', '--porcelain').matchAll(/^worktree (.*)$/gm)
  const worktrees = [...paths].map((match) => match[1]!).slice(1)
  const ids = new Set(await world.ids())
  return [...left, ...worktrees.filter((path) => !ids.has(path.split('/').at(-1)!))]
}

const LANES = 3

campaign('races for one session', async (one) => {
  const ao = await createHome(one)
  const ids = Array.from({ length: LANES }, () => ao.spawn())
  for (let round = 0; round * LANES < triesOr(30); round++) {
    // Several sessions at once, each with a race of its own.
    await Promise.all(ids.map((id, lane) => raceFor(ao, one, { id, round: `${lane}.${round}` })))
    one.judged()
  }
})

async function raceFor(ao: AoHome, one: Campaign, { id, round }: { id: string; round: string }): Promise<void> {
  const run = (args: string[]) => runBeside(ao, args)
  // Before the race and after it nobody is in a hurry.
  const alone = async (args: string[]) => (await runHere(args, ao)).exitCode
  const work = join(ao.worktree(id), 'work.txt')
  writeFileSync(work, `${round}\n`)
  await alone(['session', 'kill', id, ...(one.random.chance(0.5) ? ['--purge'] : [])])
  const kind = one.random.pick(['three restores', 'kill beside restore', 'cleanup beside spawn'] as const)
  const attempt = one.tried(kind)
  if (kind === 'three restores') {
    const codes = await Promise.all([1, 2, 3].map(() => run(['session', 'restore', id])))
    if (!codes.includes(0)) attempt.broken(`round ${round}: no restore succeeded: ${codes.join()}`)
  } else if (kind === 'kill beside restore') {
    await Promise.all([run(['session', 'restore', id]), run(['session', 'kill', id])])
  } else {
    const [spawned] = await Promise.all([spawnBeside(ao), run(['session', 'cleanup'])])
    if (spawned === null) attempt.broken(`round ${round}: a spawn beside a cleanup failed`)
    else if (agentsOf(ao, spawned) !== 1) attempt.broken(`round ${round}: the new session is gone`)
    if (spawned !== null && (await alone(['session', 'kill', spawned, '--purge'])) !== 0)
      attempt.broken(`round ${round}: ${spawned} cannot be purged`)
  }
  if (agentsOf(ao, id) === 0) await alone(['session', 'restore', id])
  if (agentsOf(ao, id) !== 1) attempt.broken(`round ${round}: ${id} has ${agentsOf(ao, id)} agents after ${kind}`)
  const found = existsSync(work) ? readFileSync(work, 'utf8') : null
  if (found !== `${round}\n`) attempt.broken(`round ${round}: ${kind} lost the work of ${id}: ${found}`)
}

function runBeside(ao: AoHome, args: string[]): Promise<number | null> {
  const child = spawn(process.execPath, [AO, ...args], { cwd: ao.repo, env: ao.env, stdio: 'ignore' })
  return new Promise((resolve) => child.once('exit', resolve))
}

async function spawnBeside(ao: AoHome): Promise<string | null> {
  const argv = [AO, 'spawn', '--prompt', 'x', '--json']
  const child = spawn(process.execPath, argv, { cwd: ao.repo, env: ao.env, stdio: ['ignore', 'pipe', 'ignore'] })
  const out: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  const answer = Buffer.concat(out).toString()
  return code === 0 ? (JSON.parse(answer) as { session: { id: string } }).session.id : null
}
