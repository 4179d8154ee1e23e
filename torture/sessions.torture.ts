// npm run torture -- sessions: many commands at once, several commands for one session, and the end of the tmux server.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AoHome, createAoHome } from '../test/support/ao-home.ts'
import { git } from '../test/support/git-repo.ts'
import { AO, type AoWorld, buildAo, createAoWorld } from '../test/support/run-ao.ts'
import { type Campaign, campaign, timesOr } from './campaign.ts'

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

campaign('killed tmux server', async (one) => {
  const ao = await createHome(one)
  const ids = Array.from({ length: 4 }, () => ao.spawn())
  for (let round = 0; round < timesOr(6); round++) {
    for (const id of ids) writeFileSync(join(ao.worktree(id), 'work.txt'), `${round} ${id}\n`)
    const pid = execFileSync('tmux', ['-L', 'ao', 'display', '-p', '#{pid}'], { env: ao.env, encoding: 'utf8' })
    process.kill(Number(pid), 'SIGKILL')
    for (const { id, status } of ao.list()) if (status !== 'killed') one.broken(`round ${round}: ${id} is ${status}`)
    for (const id of ids) {
      one.tried('sessions')
      ao.ok(['session', 'restore', id])
      if (agentsOf(ao, id) !== 1) one.broken(`round ${round}: ${id} has ${agentsOf(ao, id)} agents`)
      if (readFileSync(join(ao.worktree(id), 'work.txt'), 'utf8') !== `${round} ${id}\n`) one.broken(`${id}: work lost`)
    }
  }
})

interface World extends AoWorld {
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
  const listed = async () =>
    (await world.json<{ sessions: Array<{ id: string }> }>(['session', 'ls', '--all'])).sessions
  return {
    ...world,
    ids: async () => (await listed()).map(({ id }) => id),
    start: (args) => world.ao(args, { timeoutMs: 120_000 }),
  }
}

/** Refusals that a person expects when somebody else was faster. */
const LOST_RACE =
  /is being|is already|is not running|no session|is archived|not restorable|is busy|another|cannot be restored|still runs|is running/i

campaign('parallel commands', async (one) => {
  const world = await createLoopWorld(one)
  const spawned: string[] = []
  for (let batch = 0; batch < timesOr(6); batch++) {
    const ids = await world.ids()
    const commands = Array.from({ length: 10 }, (_, n) => (n < 6 ? spawnCommand(one) : otherCommand(one, ids)))
    const results = await Promise.all(commands.map(async (args) => ({ args, ...(await world.ao(args, LONG)) })))
    for (const { args, code, stdout, stderr } of results) {
      one.tried(args[0] === 'spawn' ? 'spawns' : 'other commands')
      if (args[0] === 'spawn' && code === 0) spawned.push(/^SESSION=(.*)$/m.exec(stdout)![1]!)
      if (code !== 0 && (args[0] === 'spawn' || !LOST_RACE.test(stderr))) {
        one.broken(`ao ${args.join(' ')} exited with ${code}: ${stderr}`)
      }
      if (/went wrong inside/.test(stderr)) one.broken(`ao ${args.join(' ')}: ${stderr}`)
    }
  }
  if (new Set(spawned).size !== spawned.length) one.broken(`an id was given twice: ${spawned.sort().join(' ')}`)
  await world.ao(['doctor', '--fix'])
  for (const leak of await leaksOf(world)) one.broken(leak)
})

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
  const { checks } = await world.json<{ checks: Array<Record<string, string>> }>(['doctor'])
  const left = checks
    .filter(({ level, name }) => level === 'warn' && name === 'left behind')
    .map(({ detail }) => detail!)
  const paths = git(world.repo, world.temp.env, 'worktree', 'list', '--porcelain').matchAll(/^worktree (.*)$/gm)
  const worktrees = [...paths].map((match) => match[1]!).slice(1)
  const ids = new Set(await world.ids())
  return [...left, ...worktrees.filter((path) => !ids.has(path.split('/').at(-1)!))]
}

campaign('races for one session', async (one) => {
  const ao = await createHome(one)
  const run = (args: string[]) => runBeside(ao, args)
  let id = ao.spawn()
  for (let round = 0; round < timesOr(10); round++) {
    const content = `${round}\n`
    writeFileSync(join(ao.worktree(id), 'work.txt'), content)
    ao.ok(['session', 'kill', id, ...(one.random.chance(0.5) ? ['--purge'] : [])])
    const kind = one.random.pick(['three restores', 'kill beside restore', 'cleanup beside spawn'] as const)
    one.tried(kind)
    if (kind === 'three restores') {
      const codes = await Promise.all([1, 2, 3].map(() => run(['session', 'restore', id])))
      if (!codes.includes(0)) one.broken(`round ${round}: no restore succeeded: ${codes.join()}`)
    } else if (kind === 'kill beside restore') {
      await Promise.all([run(['session', 'restore', id]), run(['session', 'kill', id])])
    } else {
      const before = ao.list().length
      const [code] = await Promise.all([run(['spawn', '--prompt', 'x']), run(['session', 'cleanup'])])
      if (code !== 0) one.broken(`round ${round}: a spawn beside a cleanup exited with ${code}`)
      const other = ao.list().find((session) => session.id !== id && session.status === 'working')
      if (!other) one.broken(`round ${round}: the new session is gone (${before} before)`)
      else ao.ok(['session', 'kill', other.id, '--purge'])
    }
    if (agentsOf(ao, id) === 0) ao.ok(['session', 'restore', id])
    if (agentsOf(ao, id) !== 1) one.broken(`round ${round}: ${id} has ${agentsOf(ao, id)} agents after ${kind}`)
    const found = spawnSync('cat', [join(ao.worktree(id), 'work.txt')], { encoding: 'utf8' }).stdout
    if (found !== content) {
      one.broken(`round ${round}: ${kind} lost the work of ${id}`)
      id = ao.spawn()
    }
  }
})

function runBeside(ao: AoHome, args: string[]): Promise<number | null> {
  const child = spawn(process.execPath, [AO, ...args], { cwd: ao.repo, env: ao.env, stdio: 'ignore' })
  return new Promise((resolve) => child.once('exit', resolve))
}
