// One task, several sessions: tries of which a person chooses one, and groups over several repositories.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createRepo, git } from '../support/git-repo.ts'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'

const CONFIG = `lifecycle: { pollSeconds: 1 }
defaults: { notifiers: [], runtime: process }
reactions: { approved-and-green: { auto: true } }
projects:
  app:
    path: .
    agent: demo
    agentConfig: { permissions: skip }
    tracker: local
    scm: { plugin: local }
`

let world: AoWorld

beforeAll(() => buildAo(), 60_000)

beforeEach(async () => {
  world = createAoWorld({ config: CONFIG })
  await world.agree()
})

afterEach(async () => {
  await world.ao(['stop', '--sessions'])
  expect(await world.temp.cleanup()).toEqual([])
})

const LANDS = ['demo: write one done', 'demo: commit one', 'demo: pr one', 'demo: finish done'].join('\n')

interface Listed {
  id: string
  status: string
  branch: string
  task?: { id: string; kind: string; index: number; of: number; chosen?: boolean }
}

const list = async () => (await world.json<{ sessions: Listed[] }>(['session', 'ls'])).sessions
const indexes = async () => (await list()).flatMap(({ task }) => task?.index ?? []).sort()

/** Private files of a session. */
const stateOf = (id: string) => {
  const data = join(world.temp.home, '.agent-orchestrator')
  const dir = readdirSync(data).find((name) => name.endsWith(`-${id.replace(/-\d+$/, '')}`))!
  return join(data, dir, 'state', id)
}

interface Started {
  task: { id: string }
  sessions: Listed[]
}

describe('several tries of one task', () => {
  it('land only as the one that a person chooses; the others end, and their work is kept', async () => {
    await world.ao(['issue', 'new', 'thing', '--body', LANDS])
    const { plans } = await world.json<{ plans: Array<{ session: string }> }>([
      'spawn',
      '1',
      '--times',
      '3',
      '--dry-run',
    ])
    expect(plans.map(({ session }) => session)).toEqual(['app-1', 'app-2', 'app-3'])
    expect(await list()).toEqual([])

    const { task, sessions } = await world.json<Started>(['spawn', '1', '--times', '3'])
    expect(sessions.map((one) => one.task)).toEqual(
      [1, 2, 3].map((index) => ({ id: task.id, kind: 'best', index, of: 3 })),
    )
    await world.ao(['start'])
    const pulls = await waitFor('three pull requests', async () => {
      const { pullRequests } = await world.json<{ pullRequests: Array<{ number: number }> }>(['pr', 'ls'])
      return pullRequests.length === 3 && pullRequests
    })
    for (const { number } of pulls) await world.ao(['pr', 'review', String(number), '--approve'])
    const ready = async () => (await list()).filter(({ status }) => status === 'mergeable')
    await waitFor('all of them are ready', async () => (await ready()).length === 3)

    const merged = await world.ao(['pr', 'merge', String(pulls[0]!.number)])
    expect([merged.code, merged.stderr]).toEqual([5, expect.stringContaining('nobody has chosen it')])
    const inside = { env: { AO_SESSION: 'app-1', AO_CALLER_TYPE: 'agent' } }
    expect((await world.ao(['choose', 'app-1', '--yes'], inside)).stderr).toContain('not for the agent of a session')
    expect((await world.ao(['why', 'app-2'])).stdout).toContain(`it is try 2/3 of task ${task.id}`)
    const { pairs } = await world.json<{ pairs: Array<{ files: number }> }>(['compare', 'app-1'])
    expect(pairs.map(({ files }) => files)).toEqual([0, 0, 0])

    const choice = await world.json<{ ended: string[]; closed: string[] }>(['choose', 'app-2'])
    expect([choice.ended, choice.closed.length]).toEqual([['app-1', 'app-3'], 2])
    await waitFor('the chosen one has landed', async () => (await list())[0]?.status === 'merged')
    expect((await list()).map(({ id }) => id)).toEqual(['app-2'])
    const branches = git(world.repo, world.temp.env, 'branch', '--format=%(refname:short)')
    expect(branches.trim().split('\n')).toEqual(expect.arrayContaining(sessions.map(({ branch }) => branch)))
    const other = await world.ao(['choose', 'app-1', '--yes'])
    expect([other.code, other.stderr]).toEqual([4, expect.stringContaining('archived')])
  })

  it.each(['task.announced', 'task.member-reserved:2'])(
    'are completed by the next command and never doubled when a start is killed at %s',
    async (point) => {
      const file = join(world.temp.home, 'notes.txt')
      writeFileSync(file, 'as discussed\n')
      const killed = await world.ao(['spawn', '--prompt', 'demo: finish done', '--times', '3', '--file', file], {
        env: { AO_FAILPOINT: point },
      })
      expect(killed.signal).toBe('SIGKILL')
      // Any command that changes something settles it.
      await world.ao(['spawn', '--prompt', 'demo: finish done'])
      expect(await indexes()).toEqual([1, 2, 3])
      // Each of them has the file, and the task no longer does.
      const members = (await list()).filter(({ task }) => task !== undefined)
      for (const { id } of members) expect(readdirSync(join(stateOf(id), 'attachments'))).toHaveLength(1)
      expect(
        readdirSync(join(stateOf('app-1'), '..', '..', 'tasks')).filter((name) => name.endsWith('.files')),
      ).toEqual([])
      await world.ao(['start'])
      await waitFor('all of them run', async () => (await list()).every(({ status }) => status !== 'spawning'))
      expect(await indexes()).toEqual([1, 2, 3])
    },
  )

  it.each(['task.chosen', 'task.pulls-closed'])('are ended although the choice was killed at %s', async (point) => {
    await world.ao(['spawn', '--prompt', LANDS, '--times', '2'])
    const killed = await world.ao(['choose', 'app-1', '--yes'], { env: { AO_FAILPOINT: point } })
    expect(killed.signal).toBe('SIGKILL')
    const other = await world.ao(['choose', 'app-2', '--yes'])
    expect([other.code, other.stderr]).toEqual([5, expect.stringContaining('app-1 was chosen already')])
    await world.ao(['spawn', '--prompt', 'demo: finish done'])
    expect((await list()).map(({ id, task }) => [id, task?.chosen])).toEqual([
      ['app-1', true],
      ['app-3', undefined],
    ])
  })

  it('leave nothing when they are killed before the task was written down, or a file is refused', async () => {
    const file = join(world.temp.home, 'notes.txt')
    writeFileSync(file, 'as discussed\n')
    const spawn = ['spawn', '--prompt', 'demo: finish done', '--times', '2', '--file']
    expect((await world.ao([...spawn, file], { env: { AO_FAILPOINT: 'task.files-kept' } })).signal).toBe('SIGKILL')
    writeFileSync(file, Buffer.from('7f454c46020101000000000000000000', 'hex'))
    expect(await world.ao([...spawn, file])).toMatchObject({ code: 2 })
    expect(await list()).toEqual([])
  })

  it('are refused before anything begins', async () => {
    const refused: Array<[args: string[], why: string]> = [
      [['--times', '10000'], 'a number from 2 to 10'],
      [['--agents', 'demo,../../evil'], 'evil'],
      [['--times', '2', '--agents', 'demo,demo,demo'], '3 agents cannot share 2 sessions'],
      [['--projects', 'app,nowhere'], 'nowhere'],
      [['--projects', 'app,app'], 'each project once'],
      [['--projects', 'app,app', '--times', '2'], 'neither --times nor --agents'],
      [['--times', '2', '--branch', 'x'], 'cannot share one branch'],
    ]
    for (const [args, why] of refused) {
      const { code, stderr } = await world.ao(['spawn', '--prompt', 'x', ...args])
      expect([code === 0, stderr]).toEqual([false, expect.stringContaining(why)])
    }
    expect(await list()).toEqual([])
  })
})

describe('a group over several repositories', () => {
  const both = `lifecycle: { pollSeconds: 1 }
defaults: { notifiers: [], runtime: process }
projects:
${['app', 'web'].map((id) => `  ${id}: { path: ${id === 'app' ? '.' : '../web'}, agent: demo, agentConfig: { permissions: skip }, tracker: local, scm: { plugin: local } }`).join('\n')}
`
  const pulls = async (project: string) =>
    (await world.json<{ pullRequests: Array<{ number: number; state: string }> }>(['pr', 'ls', '--all', '-p', project]))
      .pullRequests

  /** Both have handed in. */
  const start = async () => {
    createRepo(join(world.temp.home, 'web'), world.temp.env)
    writeFileSync(join(world.repo, 'agent-orchestrator.yaml'), both)
    await world.agree()
    await world.ao(['issue', 'new', 'thing', '--body', LANDS, '-p', 'app'])
    const started = await world.json<Started>(['spawn', 'app/1', '--projects', 'web,app'])
    await world.ao(['start'])
    const [web, app] = await waitFor('two pull requests', async () => {
      const found = [...(await pulls('web')), ...(await pulls('app'))]
      return found.length === 2 && found
    })
    return { task: started.task.id, sessions: started.sessions, web: web!, app: app! }
  }

  const states = async () => [...(await pulls('web')), ...(await pulls('app'))].map(({ state }) => state)
  const approve = (project: string, { number }: { number: number }) =>
    world.ao(['pr', 'review', String(number), '--approve', '-p', project])

  it('lands in the given order once all are approved, with pull requests that name each other', async () => {
    const { task, sessions, web, app } = await start()
    expect(sessions.map(({ id, task: mark }) => [id, mark?.index])).toEqual([
      ['web-1', 1],
      ['app-1', 2],
    ])
    const prompt = readFileSync(join(stateOf('web-1'), 'prompt.md'), 'utf8')
    expect(prompt).toContain('Yours is web; the others are app.')
    expect(prompt).toContain('in this order: web, app.')
    await approve('app', app)
    const early = await world.ao(['pr', 'merge', String(app.number), '-p', 'app'])
    expect([early.code, early.stderr]).toEqual([5, expect.stringContaining('lands as a whole')])
    const { stdout } = await waitFor('the links', async () => {
      const shown = await world.ao(['pr', 'view', String(web.number), '-p', 'web'])
      return shown.stdout.includes(`(${task})`) && shown
    })
    expect(stdout.split(`(${task})`)).toHaveLength(2)
    expect(await states()).toEqual(['open', 'open'])
    await approve('web', web)
    await waitFor('both have landed', async () => (await states()).every((state) => state === 'merged'))
  })

  it('continues after its loop was killed between two merges, and waits for a person when the rest cannot land', async () => {
    const { task, web, app } = await start()
    await world.ao(['stop'])
    await approve('web', web)
    await approve('app', app)
    expect((await world.ao(['start', '--foreground'], { env: { AO_FAILPOINT: 'group.merged' } })).signal).toBe(
      'SIGKILL',
    )
    expect(await states()).toEqual(['merged', 'open'])
    await world.ao(['pr', 'close', String(app.number), '-p', 'app'])
    await world.ao(['start'])
    const { stopped } = await waitFor('the reason', async () => {
      const shown = await world.json<{ stopped: string | null }>(['compare', task])
      return shown.stopped !== null && shown
    })
    expect(stopped).toBe('web-1 landed, but app-1 had its pull request closed')
    await world.ao(['pr', 'reopen', String(app.number), '-p', 'app'])
    await waitFor('the rest has landed', async () => (await states()).every((state) => state === 'merged'))
  })
})
