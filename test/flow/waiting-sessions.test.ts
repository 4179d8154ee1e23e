// Work that needs other work: it waits, says for what, and starts by itself once that has landed.
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { some } from '../support/cover.ts'
import { git } from '../support/git-repo.ts'
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

const issue = async (title: string, ...lines: string[]) => {
  const made = await world.json<{ issue: { id: string } }>(['issue', 'new', title, '--body', lines.join('\n')])
  return made.issue.id
}

interface Shown {
  session: { id: string; status: string; branch: string; metadata: Record<string, string> }
}

const show = async (id: string) => (await world.json<Shown>(['session', 'show', id])).session

const spawn = async (...args: string[]) => {
  const answer = await world.json<Partial<Shown>>(['spawn', ...args])
  if (!answer.session) throw new Error(JSON.stringify(answer))
  return answer.session.id
}

const untilStatus = (id: string, status: string) =>
  waitFor(`${id} is ${status}`, async () => {
    const shown = await show(id)
    return shown.status === status || Promise.reject(new Error(shown.status))
  })

const lands = (file: string) => [
  `demo: write ${file} done`,
  `demo: commit ${file}`,
  `demo: pr ${file}`,
  'demo: finish done',
]

describe('a session that needs another', () => {
  it('waits without a worktree or an agent, says for what, and starts once that has landed', async () => {
    await issue('first', ...lands('one'))
    await issue('second', 'Depends-On: #1', ...lands('two'))
    const first = await spawn('1')
    const second = await spawn('2')
    expect(await show(second)).toMatchObject({ status: 'spawning' })
    expect((await show(second)).metadata).not.toHaveProperty('worktree')
    expect((await world.ao(['why', second])).stdout).toContain('it waits for #1')

    await world.ao(['start'])
    await untilStatus(first, 'review_pending')
    expect((await show(second)).status).toBe('spawning')
    const { pullRequests } = await world.json<{ pullRequests: Array<{ number: number }> }>(['pr', 'ls'])
    expect((await world.ao(['pr', 'review', String(pullRequests[0]?.number), '--approve'])).code).toBe(0)
    await untilStatus(first, 'merged')
    await untilStatus(second, 'review_pending')
    const branch = (await show(second)).branch
    expect(git(world.repo, world.temp.env, 'show', `${branch}:one`).trim()).toBe('done')
  })

  it('is started by a person whenever they want, and ended like any other', async () => {
    await issue('first')
    await issue('second', 'demo: finish done')
    const second = await spawn('2', '--needs', '1')
    const third = await spawn('--prompt', 'demo: finish done', '--needs', second)
    expect((await world.ao(['session', 'restore', second])).stdout).toContain(second)
    expect((await show(second)).status).not.toBe('spawning')
    expect((await world.ao(['session', 'kill', third])).code).toBe(0)
    expect(await show(third)).toMatchObject({ status: 'killed' })
  })

  it('that was ended before it began is started in a workspace of its own, and not from the archive', async () => {
    await issue('first')
    const id = await spawn('--prompt', 'demo: finish done', '--needs', '1')
    expect((await world.ao(['stop', '--sessions'])).stdout).not.toContain(id)
    await world.ao(['session', 'kill', id])
    expect((await world.ao(['session', 'restore', id])).code).toBe(0)
    const worktrees = git(world.repo, world.temp.env, 'worktree', 'list', '--porcelain')
    expect(worktrees).toContain(`/${id}\n`)
    const other = await spawn('--prompt', 'demo: finish done', '--needs', '1')
    await world.ao(['session', 'kill', other, '--purge'])
    const archived = await world.ao(['session', 'restore', other])
    expect([archived.code, archived.stderr]).toEqual([5, expect.stringContaining('it was never started')])
  })

  it('asks a person once what it needs will not land', async () => {
    await issue('first', ...lands('one'))
    const first = await spawn('1')
    const second = await spawn('--prompt', 'demo: finish done', '--needs', first)
    await world.ao(['session', 'kill', first])
    await world.ao(['start'])
    const item = await waitFor('the question', async () => {
      const { items } = await world.json<{
        items: Array<{ sessions: Array<{ id: string }>; matter: string; acts: string[] }>
      }>(['next'])
      return items.find(({ sessions }) => sessions.some(({ id }) => id === second))
    })
    expect(item).toMatchObject({ acts: ['start', 'snooze'] })
    expect(item?.matter).toContain(`it needs ${first}, which ended without landing`)
    expect((await show(second)).status).toBe('spawning')
  })

  it('is refused with the cycle when it would wait for itself', async () => {
    await issue('first', 'Depends-On: #2')
    await issue('second', 'Depends-On: #1')
    await spawn('1')
    const { code, stderr } = await world.ao(['spawn', '2'])
    expect(code).not.toBe(0)
    expect(stderr).toContain('This would wait for itself: #2 needs #1 needs #2')
    expect((await world.ao(['spawn', '2', '--now'])).code).toBe(0)
  })

  it('is there after a kill -9 right after it was written down, and waits', async () => {
    await issue('first')
    const killed = await world.ao(['spawn', '--prompt', 'demo: finish done', '--needs', '1'], {
      env: { AO_FAILPOINT: 'spawn.waits' },
    })
    expect(killed.signal).toBe('SIGKILL')
    expect((await world.ao(['why', 'app-1'])).stdout).toContain('it waits for #1')
  })

  it.each(some(['start-announced', 'workspace-created', 'agent-prepared', 'runtime-started', 'recorded']))(
    'whose start is killed at spawn.%s waits again or has started, and is started once',
    async (point) => {
      await issue('first')
      const id = await spawn('--prompt', 'demo: finish done', '--needs', '1')
      const env = { AO_FAILPOINT: `spawn.${point}` }
      expect((await world.ao(['session', 'restore', id], { env })).signal).toBe('SIGKILL')
      const again = await world.ao(['session', 'restore', id])
      // Nothing was left to do but to say so.
      expect(again.code, again.stderr).toBe(point === 'recorded' ? 5 : 0)
      const { sessions } = await world.json<{ sessions: Array<{ id: string; status: string }> }>(['session', 'ls'])
      expect(sessions).toMatchObject([{ id, status: 'working' }])
      expect(git(world.repo, world.temp.env, 'worktree', 'list', '--porcelain').match(/^worktree /gm)).toHaveLength(2)
    },
  )

  it('takes no reference that names nothing', async () => {
    for (const needs of ['../etc/passwd', '--now', 'no such thing', '99']) {
      const { code, stdout } = await world.ao(['spawn', '--prompt', 'hello', `--needs=${needs}`])
      expect([needs, code]).not.toEqual([needs, 0])
      expect(stdout).not.toContain('SESSION=')
    }
  })
})

describe('a session on another base', () => {
  it('starts from the branch of a session, is compared with it, and hands in for it', async () => {
    const first = await spawn('--prompt', ['demo: write one done', 'demo: commit one', 'demo: finish done'].join('\n'))
    await waitFor('its commit', async () =>
      git(world.repo, world.temp.env, 'log', '--format=%s', `session/${first}`).includes('one'),
    )
    const second = await spawn('--prompt', lands('two').join('\n'), '--base', first)
    await world.ao(['start'])
    const pull = await waitFor('its pull request', async () => {
      const { pullRequests } = await world.json<{ pullRequests: Array<{ base: string; head: string }> }>(['pr', 'ls'])
      return pullRequests.find(({ head }) => head === `session/${second}`)
    })
    expect(pull).toMatchObject({ base: `session/${first}` })
    const { stdout } = await world.ao(['session', 'diff', second])
    expect(stdout).toContain('two')
    expect(stdout).not.toContain('+++ b/one')
  })

  it('is refused when there is no such branch, and leaves nothing', async () => {
    for (const base of ['no-such-branch', '-x', 'app-99']) {
      expect([base, (await world.ao(['spawn', '--prompt', 'hello', `--base=${base}`])).code]).not.toEqual([base, 0])
    }
    expect((await world.json<{ sessions: unknown[] }>(['session', 'ls'])).sessions).toEqual([])
  })
})
