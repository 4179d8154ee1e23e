// A session's files before each of its turns: taken back, forward again, and into a second session. Through the real command, with
// kill -9 after every step.
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { failpointsIn } from '../../torture/failpoints.ts'
import { git } from '../support/git-repo.ts'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'

let world: AoWorld

beforeAll(() => buildAo(), 60_000)

beforeEach(async () => {
  world = createAoWorld({
    config: 'defaults: { notifiers: [], runtime: process }\nprojects: { app: { path: ., agent: demo } }\n',
  })
})
afterEach(async () => {
  await world.ao(['stop', '--sessions'])
  expect(await world.temp.cleanup()).toEqual([])
})

const worktree = (id = 'app-1') => join(world.temp.home, '.worktrees', 'app', id)
const read = (name: string, id?: string) => readFileSync(join(worktree(id), name), 'utf8')
const inTree = (...args: string[]) => git(worktree(), world.temp.env, ...args)
const turns = async () =>
  (
    await world.json<{
      turns: Array<{ turn: number; text: string; source: string; commit: string | null; why: string }>
    }>(['session', 'turns', 'app-1'])
  ).turns
const idle = () =>
  waitFor('the agent to be between two turns', async () => {
    const { sessions } = await world.json<{ sessions: Array<{ id: string; activity: string }> }>(['session', 'ls'])
    return ['ready', 'idle'].includes(sessions[0]!.activity)
  })

/** Turn 1 wrote a file and left it, turn 2 committed it and another one. */
async function twoTurns(): Promise<void> {
  await world.ao(['spawn', '--prompt', 'demo: write work one\ndemo: finish done'])
  await idle()
  await world.ao([
    'send',
    'app-1',
    'demo: write work two\ndemo: commit both\ndemo: write loose later\ndemo: finish done',
  ])
  await idle()
  await waitFor('the second turn', () => existsSync(join(worktree(), 'loose')))
}

it('goes back to before a turn, commits included, and forward again', async () => {
  await twoTurns()
  expect(await turns()).toMatchObject([
    { turn: 1, source: 'spawn', text: 'demo: write work one\ndemo: finish done' },
    { turn: 2, source: 'user' },
  ])
  const head = inTree('rev-parse', 'HEAD')
  const { stdout } = await world.ao(['session', 'rewind', 'app-1', '--to', '2'])
  expect(stdout).toContain('session/app-1 is back at')
  expect(stdout).toContain('Only files were brought back')
  expect(stdout).toContain('Undo with: ao session rewind app-1 --to 3')
  expect([read('work').trim(), existsSync(join(worktree(), 'loose'))]).toEqual(['one', false])
  expect(inTree('status', '--porcelain')).toBe('?? work')
  await world.ao(['session', 'rewind', 'app-1', '--to', '3'])
  expect([read('work').trim(), read('loose').trim(), inTree('rev-parse', 'HEAD')]).toEqual(['two', 'later', head])
  // What people did, newest first, and taking it back: here the second rewind, which was the first one's undo.
  const { operations } = await world.json<{
    operations: Array<{ id: string; what: string; isUndone: boolean; why: string }>
  }>(['log'])
  expect(operations.map(({ what, isUndone }) => [what.split(':')[0], isUndone])).toEqual([
    ['rewind to turn 3', false],
    ['rewind to turn 2', true],
    ['send', false],
  ])
  expect(operations[2]!.why).toContain('ao session rewind app-1 --to 2')
  expect((await world.ao(['undo', operations[2]!.id])).stderr).toContain('cannot be undone: its agent has it')
  expect((await world.ao(['undo'])).stdout).toContain('as by: ao session rewind app-1 --to 4')
  expect(read('work').trim()).toBe('one')
  await world.ao(['session', 'kill', 'app-1'])
  expect((await world.ao(['undo'])).stdout).toContain('as by: ao session restore app-1')
  // A second session from the same point, whatever became of the first.
  const forked = await world.json<{ session: { id: string } }>(['session', 'fork', 'app-1', '--at', '2'])
  expect(forked.session.id).toBe('app-2')
  expect([read('work', 'app-2').trim(), existsSync(join(worktree('app-2'), 'loose'))]).toEqual(['one', false])
  // The limits of the disk are for them, too.
  const { uses } = await world.json<{ uses: Array<{ what: string; files: number; bytes: number }> }>(['disk'])
  const [kept] = uses.filter(({ what }) => what === 'turns to go back to')
  expect([kept!.files, kept!.bytes > 0]).toEqual([6, true])
  appendFileSync(join(world.repo, 'agent-orchestrator.yaml'), 'disk: { checkpointsMb: 0 }\n')
  await world.agree()
  expect((await world.ao(['disk', '--free', 'limits'])).stdout).toContain('the files before turns 1, 2, 3, 4, 5')
  expect(git(world.repo, world.temp.env, 'for-each-ref', 'refs/ao/checkpoint')).toBe('')
  git(world.repo, world.temp.env, 'reflog', 'expire', '--expire=now', '--all')
  git(world.repo, world.temp.env, 'gc', '-q', '--prune=now')
  expect((await world.ao(['session', 'rewind', 'app-1', '--to', '1'])).stderr).toContain(
    'to keep the disk within its limits',
  )
  expect((await world.ao(['session', 'rewind', 'app-1', '--to', '9'])).stderr).toContain('ao session turns app-1')
})

it('refuses in the middle of a turn, and a message is delivered where nothing can be saved', async () => {
  await world.ao(['spawn', '--prompt', 'demo: write work one\ndemo: ask which?'])
  await waitFor('its question', async () => (await world.ao(['session', 'ls'])).stdout.includes('needs_input'))
  const refused = await world.ao(['session', 'rewind', 'app-1', '--to', '1'])
  expect(refused.code).not.toBe(0)
  expect(refused.stderr).toContain('ao session kill app-1')
  expect(read('work').trim()).toBe('one')
  // An agent can make the name of the ref impossible.
  git(world.repo, world.temp.env, 'update-ref', '-d', 'refs/ao/checkpoint/app-1/1')
  git(world.repo, world.temp.env, 'update-ref', 'refs/ao/checkpoint/app-1', 'HEAD')
  expect((await world.ao(['send', 'app-1', 'demo: finish done'])).stdout).toContain('seen by app-1')
  expect((await turns())[1]).toMatchObject({
    turn: 2,
    commit: null,
    why: expect.stringContaining('refs/ao/checkpoint'),
  })
})

it('is one rewind after the other when two are asked for at once, in a clone too, which no fork can begin from', async () => {
  writeFileSync(
    join(world.repo, 'agent-orchestrator.yaml'),
    'defaults: { notifiers: [], runtime: process, workspace: clone }\nprojects: { app: { path: ., agent: demo } }\n',
  )
  await world.ao(['spawn', '--prompt', 'demo: write work one\ndemo: finish done'])
  await idle()
  const { sessions } = await world.json<{ sessions: Array<{ workspacePath: string }> }>(['session', 'ls'])
  const work = join(sessions[0]!.workspacePath, 'work')
  await waitFor('its work', () => existsSync(work))
  const refused = await world.ao(['session', 'fork', 'app-1', '--at', '1'])
  expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining('works in a clone')])
  const both = await Promise.all([1, 2].map(() => world.ao(['session', 'rewind', 'app-1', '--to', '1'])))
  expect(both.filter(({ code }) => code === 0).length).toBeGreaterThan(0)
  expect(existsSync(work)).toBe(false)
  // The first of them saved what was there.
  await world.ao(['session', 'rewind', 'app-1', '--to', '2'])
  expect(readFileSync(work, 'utf8').trim()).toBe('one')
})

it('kill -9 after any step is finished by the next command, and nothing is lost', async () => {
  await twoTurns()
  let now = 2
  const rewind = async (turn: number, env = {}) => {
    now += 1
    return world.ao(['session', 'rewind', 'app-1', '--to', String(turn)], { env })
  }
  const steps = failpointsIn(['git', 'manager']).filter((name) => name.startsWith('rewind.'))
  expect(steps).toContain('rewind.files')
  for (const step of steps) {
    expect((await rewind(2, { AO_FAILPOINT: step })).signal).toBe('SIGKILL')
    const before = now
    // Somebody else's work in between is not lost either.
    writeFileSync(join(worktree(), 'since'), step)
    if (step !== 'rewind.recorded') now += 1
    await world.ao(['session', 'rewind', 'app-1', '--to', '99'])
    expect([step, read('work').trim(), inTree('diff', '--cached')]).toEqual([step, 'one', ''])
    expect(inTree('log', '--format=%s')).not.toContain('both')
    expect(existsSync(join(worktree(), 'loose'))).toBe(false)
    if (step === 'rewind.files') {
      await rewind(now)
      expect(read('since')).toBe(step)
    }
    await rewind(before)
    expect([step, read('work').trim(), read('loose').trim()]).toEqual([step, 'two', 'later'])
    expect(inTree('log', '-1', '--format=%s')).toBe('both')
  }
})

it('leaves nothing to be carried out later when it was refused', async () => {
  await twoTurns()
  inTree('add', '-A')
  inTree('commit', '-qm', 'all')
  inTree('update-index', '--assume-unchanged', 'work')
  writeFileSync(join(worktree(), 'work'), 'precious')
  const refused = await world.ao(['session', 'rewind', 'app-1', '--to', '2'])
  expect(refused.stderr).toContain('Nothing was changed')
  inTree('update-index', '--no-assume-unchanged', 'work')
  await world.ao(['send', 'app-1', '--no-wait', 'demo: finish done'])
  expect([read('work'), existsSync(join(worktree(), 'loose'))]).toEqual(['precious', true])
  expect((await world.ao(['events', 'app-1'])).stdout).not.toContain('files taken back')
})

it('leaves files and branch as they are when git refuses to move the branch', async () => {
  await twoTurns()
  const head = inTree('rev-parse', 'HEAD')
  const status = inTree('status', '--porcelain')
  // Another command of git that was killed.
  const lock = join(world.repo, '.git', 'refs', 'heads', 'session', 'app-1.lock')
  writeFileSync(lock, '')
  const refused = await world.ao(['session', 'rewind', 'app-1', '--to', '2'])
  expect(refused.stderr).toContain('Its branch could not be moved, so its files stay as well')
  expect([read('work').trim(), read('loose').trim()]).toEqual(['two', 'later'])
  expect([inTree('rev-parse', 'HEAD'), inTree('status', '--porcelain')]).toEqual([head, status])
  rmSync(lock)
  await world.ao(['send', 'app-1', '--no-wait', 'demo: finish done'])
  expect([read('work').trim(), inTree('rev-parse', 'HEAD')]).toEqual(['two', head])
  expect((await world.ao(['session', 'rewind', 'app-1', '--to', '2'])).code).toBe(0)
  expect(existsSync(join(worktree(), 'loose'))).toBe(false)
})

it('forks from a turn before which nothing was changed', async () => {
  await world.ao(['spawn', '--prompt', 'demo: finish done'])
  await idle()
  await world.ao(['send', 'app-1', 'demo: finish again'])
  await idle()
  const forked = await world.ao(['session', 'fork', 'app-1', '--at', '2'])
  expect([forked.code, forked.stderr]).toEqual([0, expect.not.stringContaining('did not come back')])
})
