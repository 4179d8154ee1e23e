// Seed 002: list, get, restore, kill, cleanup and send on plugins that only remember what they were asked.
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { SessionNotRestorableError, WorkspaceMissingError } from '../../src/contract/errors.ts'
import { currentProcess, formatIdentity } from '../../src/lib/process/process-identity.ts'
import { whileReturning } from '../../src/manager/operation.ts'
import { createSessionManager } from '../../src/manager/session-manager.ts'
import type { Agent } from '../../src/slots/agent.ts'
import { readMetadataRaw } from '../../src/store/session/metadata-files.ts'
import { createFakeWorld, type FakeWorld } from './fake-world.ts'

let world: FakeWorld

beforeEach(async () => {
  world = await createFakeWorld({ projectYaml: 'tracker: fake\nscm: fake' })
})
afterEach(() => world.cleanup())

const raw = (id: string) => readMetadataRaw(world.paths.sessions, id)
const spawned = (prompt = 'work') => world.manager.spawn({ projectId: 'my-app', prompt })
const die = (id: string) => world.alive.set(`${world.launches.at(-1)!.name.split('-')[0]}-${id}`, false)
const setAlive = (id: string, answer: boolean | Error | 'hangs') =>
  world.alive.set(`${world.launches.at(-1)!.name.split('-')[0]}-${id}`, answer)

describe('list and get', () => {
  it('S2.43 lists all sessions, or those of one project', async () => {
    await spawned()
    await spawned()
    expect((await world.manager.list()).map(({ id }) => id)).toEqual(['my-app-1', 'my-app-2'])
    expect(await world.manager.list('my-app')).toHaveLength(2)
    await expect(world.manager.list('other')).rejects.toMatchObject({ code: 'PROJECT_NOT_FOUND' })
  })

  it('S2.7 S2.8 sees from a second manager what the first one made, and what an editor changed', async () => {
    const { id } = await spawned()
    const file = world.paths.sessionFile(id)
    writeFileSync(file, `${readFileSync(file, 'utf8')}colour=blue\n`)
    expect((await world.another().get(id))?.metadata.colour).toBe('blue')
  })

  it('S2.45 S2.46 returns killed for a dead runtime without touching the file', async () => {
    const { id } = await spawned()
    die(id)
    const before = readFileSync(world.paths.sessionFile(id), 'utf8')
    expect((await world.manager.get(id))?.status).toBe('killed')
    expect((await world.manager.get(id))?.activity).toBe('exited')
    expect(readFileSync(world.paths.sessionFile(id), 'utf8')).toBe(before)
  })

  it('S0.31 keeps the status when the probe fails', async () => {
    const { id } = await spawned()
    setAlive(id, new Error('tmux does not answer'))
    expect((await world.manager.get(id))?.status).toBe('working')
  })

  it('S2.51 keeps the metadata values when enrichment takes longer than two seconds', async () => {
    const { id } = await spawned()
    setAlive(id, 'hangs')
    const started = performance.now()
    expect((await world.manager.get(id))?.status).toBe('working')
    expect(performance.now() - started).toBeLessThan(6_000)
  })

  it('S2.48 S2.49 S2.50 takes activity, time and info from the agent', async () => {
    const { id } = await spawned()
    expect((await world.manager.get(id))?.activity).toBeNull()
    const timestamp = new Date('2026-01-02T03:04:05Z')
    world.activity.current = { state: 'active', timestamp }
    expect(await world.manager.get(id)).toMatchObject({
      activity: 'active',
      lastActivityAt: timestamp,
      agentInfo: { summary: 'did things', agentSessionId: 'a-1' },
    })
  })

  it('S2.52 returns null for an unknown id, and for one that is not a valid name', async () => {
    expect(await world.manager.get('my-app-99')).toBeNull()
    expect(await world.manager.get('../../etc/passwd')).toBeNull()
  })
})

describe('kill', () => {
  it('S2.62–S2.66 destroys runtime and workspace and archives the record, found by the id alone', async () => {
    const { id, workspacePath } = await spawned()
    await world.manager.kill(id)
    expect(world.calls.slice(-3)).toEqual(['runtime.destroy', 'workspace.snapshot', 'workspace.destroy'])
    expect(existsSync(workspacePath!)).toBe(false)
    expect(raw(id)).toBeNull()
    const [archived] = readdirSync(world.paths.archive)
    expect(archived).toMatch(/^my-app-1_\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z$/)
    expect(readFileSync(join(world.paths.archive, archived!), 'utf8')).toContain('status=killed')
    expect(await world.manager.get(id)).toBeNull()
  })

  it('S2.67 S0.60 S0.61 keeps workspace and record on request', async () => {
    const { id, workspacePath } = await spawned()
    await world.manager.kill(id, { keepWorkspace: true })
    expect(existsSync(workspacePath!)).toBe(true)
    expect(raw(id)).toMatchObject({ status: 'killed', summary: 'did things' })
    expect(raw(id)).not.toHaveProperty('operation')
  })

  it('S0.33 gives terminated to a force-stop', async () => {
    const { id } = await spawned()
    await world.manager.kill(id, { keepWorkspace: true, force: true })
    expect(raw(id)?.status).toBe('terminated')
  })

  it.each([
    ['empty', ''],
    ['zeroed', '\0'.repeat(200)],
  ])('ends the agent of a session whose record is %s, as its history names it', async (_, content) => {
    const { id } = await spawned()
    writeFileSync(world.paths.sessionFile(id), content)
    await world.manager.kill(id, { keepWorkspace: true })
    expect(world.calls).toContain('runtime.destroy')
    expect([...world.alive.values()]).toEqual([false])
  })

  it('S0.69 removes nothing when the work cannot be saved', async () => {
    const { id, workspacePath } = await spawned()
    world.failing.set('workspace.snapshot', new Error('disk full'))
    await expect(world.manager.kill(id)).rejects.toThrow('disk full')
    expect(existsSync(workspacePath!)).toBe(true)
    expect(raw(id)).toMatchObject({ status: 'killed' })
  })

  it('says what it does not know', async () => {
    await expect(world.manager.kill('my-app-7')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
  })
})

describe('restore', () => {
  it('S2.53 S2.61 S1.39 brings a killed session back with restoredAt and keeps the other keys', async () => {
    const { id } = await spawned('the original words')
    await world.manager.kill(id, { keepWorkspace: true })
    const before = raw(id)!
    const session = await world.manager.restore(id)
    expect(session.restoredAt).toBeInstanceOf(Date)
    expect(raw(id)).toMatchObject({
      createdAt: before.createdAt,
      userPrompt: 'the original words',
      status: 'working',
      launch: '2',
    })
    const history = readFileSync(world.paths.historyFile(id), 'utf8')
    expect(history).toContain('"to":"spawning"')
  })

  it('takes an end that only the records of the agent show, and reads neither its cost nor its screen', async () => {
    const { id } = await spawned()
    const readCost = vi.spyOn(await world.registry.load('agent', 'fake'), 'getSessionInfo')
    const readScreen = vi.spyOn(await world.registry.load('runtime', 'fake'), 'getOutput')
    setAlive(id, new Error('tmux does not answer'))
    world.activity.current = { state: 'exited', timestamp: new Date(), evidence: 'it said goodbye' }
    await world.manager.restore(id)
    expect(raw(id)).toMatchObject({ status: 'working', launch: '2' })
    world.activity.current = null
    expect(readCost).not.toHaveBeenCalled()
    await world.manager.kill(id, { keepWorkspace: true })
    // For the record of what it used in all.
    expect(readCost).toHaveBeenCalledTimes(1)
    expect(readScreen).not.toHaveBeenCalled()
  })

  it('S2.54 refuses a live session with its reason', async () => {
    const { id } = await spawned()
    const error = await world.manager.restore(id).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(SessionNotRestorableError)
    expect((error as SessionNotRestorableError).reason).toContain('working')
  })

  it('S2.54 S0.72 refuses a merged one, active or archived', async () => {
    const { id } = await spawned()
    const file = world.paths.sessionFile(id)
    writeFileSync(file, readFileSync(file, 'utf8').replace('status=working', 'status=merged'))
    await expect(world.manager.restore(id)).rejects.toBeInstanceOf(SessionNotRestorableError)
    await world.manager.kill(id)
    await expect(world.manager.restore(id)).rejects.toBeInstanceOf(SessionNotRestorableError)
  })

  it('S2.56 S2.57 S1.49 S1.50 finds it in the archive and leaves the archive as it is', async () => {
    const { id } = await spawned()
    await world.manager.kill(id)
    const archive = readdirSync(world.paths.archive)
    await world.manager.restore(id)
    expect(raw(id)?.status).toBe('working')
    expect(readdirSync(world.paths.archive)).toEqual(archive)
    expect(world.calls).toContain('workspace.restore')
  })

  it('S2.55 S0.74 throws WorkspaceMissingError when the workspace cannot be recreated, and takes everything back', async () => {
    const { id, workspacePath } = await spawned()
    await world.manager.kill(id)
    world.failing.set('workspace.restore', new Error('the branch is gone'))
    const error = await world.manager.restore(id).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(WorkspaceMissingError)
    expect((error as WorkspaceMissingError).path).toBe(workspacePath)
    expect(raw(id)).toBeNull()
    world.failing.clear()
    await world.manager.restore(id)
    expect(raw(id)?.status).toBe('working')
  })

  it('S2.59 destroys what is left of the old runtime before the new one starts', async () => {
    const { id } = await spawned()
    die(id)
    world.calls.length = 0
    await world.manager.restore(id)
    expect(world.calls.indexOf('runtime.destroy')).toBeLessThan(world.calls.indexOf('runtime.create'))
    expect(world.calls).toContain('runtime.destroy')
  })

  it('S2.60 S0.75 uses the agent’s own resume where it has one', async () => {
    const { id } = await spawned()
    die(id)
    world.resume.current = ['sh', '--resume', 'a-1']
    await world.manager.restore(id)
    expect(world.launches.at(-1)!.command).toEqual(['sh', '--resume', 'a-1'])
    expect(world.launches.at(-1)!.environment).toMatchObject({ AO_SESSION: id, AO_DATA_DIR: world.paths.sessions })
  })

  it('S0.76 starts afresh with the original prompt where it has none', async () => {
    const { id } = await spawned('the original words')
    die(id)
    const first = world.launches[0]!.command.at(-1)
    await world.manager.restore(id)
    expect(world.launches.at(-1)!.command.at(-1)).toBe(first)
    expect(first).toContain('the original words')
  })

  it('S0.89 says each step', async () => {
    const { id } = await spawned()
    await world.manager.kill(id)
    const lines: string[] = []
    await world.manager.restore(id, { onProgress: (line) => lines.push(line) })
    expect(lines.join('\n')).toMatch(/archive[\s\S]*recreating[\s\S]*starts afresh[\s\S]*starting in fake[\s\S]*done/)
  })

  it('refuses a second restore at the same time', async () => {
    const { id } = await spawned()
    die(id)
    const results = await Promise.allSettled([world.manager.restore(id), world.another().restore(id)])
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(world.launches).toHaveLength(2)
  })
})

describe('cleanup', () => {
  it('S2.70 S2.75 S0.66 takes a session whose runtime is dead, S2.71 leaves one that runs', async () => {
    const { id } = await spawned()
    const other = await spawned()
    setAlive(id, false)
    const result = await world.manager.cleanup()
    expect(result).toEqual({ killed: [id], skipped: [other.id], errors: [] })
    expect(raw(id)).toBeNull()
  })

  it('S2.73 S0.65 takes one whose pull request is closed', async () => {
    const { id } = await spawned()
    const file = world.paths.sessionFile(id)
    writeFileSync(file, `${readFileSync(file, 'utf8')}pr=https://example.invalid/pull/1\n`)
    expect((await world.manager.cleanup()).killed).toEqual([])
    world.prState.current = 'closed'
    expect((await world.manager.cleanup()).killed).toEqual([id])
  })

  it('S2.74 S0.65 takes one whose issue is completed', async () => {
    const { id } = await world.manager.spawn({ projectId: 'my-app', issueId: 'INT-1' })
    world.completed.add('INT-1')
    expect((await world.manager.cleanup()).killed).toEqual([id])
  })

  it('S2.77 leaves one that cannot be verified', async () => {
    const { id } = await world.manager.spawn({ projectId: 'my-app', issueId: 'INT-1' })
    setAlive(id, new Error('no answer'))
    expect((await world.manager.cleanup()).skipped).toEqual([id])
    setAlive(id, true)
    world.trackerError.current = new Error('no network')
    expect((await world.manager.cleanup()).skipped).toEqual([id])
  })

  it('leaves alone what was restored, and passes over what was removed, after the plan was made', async () => {
    const ids = [(await spawned()).id, (await spawned()).id, (await spawned()).id]
    for (const id of ids) await world.manager.kill(id, { keepWorkspace: true })
    const other = world.another()
    const destroy = vi.spyOn(await world.registry.load('workspace', 'fake'), 'destroy')
    // While the first one is being removed, other commands take the two that come after it.
    destroy.mockImplementationOnce(async (path) => {
      rmSync(path, { recursive: true })
      await other.restore(ids[1]!)
      await other.kill(ids[2]!)
    })
    const result = await world.manager.cleanup()
    expect(result).toEqual({ killed: [ids[0]], skipped: [ids[1], ids[2]], errors: [] })
    expect((await other.get(ids[1]!))?.status).toBe('working')
  })

  it('keeps a session whose restore was killed after it had started the agent, since the plan was made', async () => {
    const ids = [(await spawned()).id, (await spawned()).id]
    for (const id of ids) await world.manager.kill(id, { keepWorkspace: true })
    const runtime = await world.registry.load('runtime', 'fake')
    const name = world.launches.at(-1)!.name
    runtime.find = async ({ spawnId }) => ({ id: name, runtimeName: 'fake', data: { spawnId } })
    const destroy = vi.spyOn(await world.registry.load('workspace', 'fake'), 'destroy')
    // While the first one is being removed, a restore of the second one starts its agent and is killed.
    destroy.mockImplementationOnce(async (path) => {
      rmSync(path, { recursive: true })
      world.alive.set(name, true)
      const dead =
        'operation=restore\noperationOwner=1:1:00000000-1\noperationData={"spawnId":"second","previous":"killed"}\n'
      appendFileSync(world.paths.sessionFile(ids[1]!), dead)
    })
    const result = await world.manager.cleanup()
    expect(result).toEqual({ killed: [ids[0]], skipped: [ids[1]], errors: [] })
    expect((await world.manager.get(ids[1]!))?.status).toBe('working')
  })

  it('asks the runtime a fixed number of times for each session, however many there are', async () => {
    const ids = [(await spawned()).id, (await spawned()).id, (await spawned()).id, (await spawned()).id]
    for (const id of ids) setAlive(id, false)
    const isAlive = vi.spyOn(await world.registry.load('runtime', 'fake'), 'isAlive')
    await world.manager.cleanup()
    expect(isAlive.mock.calls.length).toBeLessThanOrEqual(4 * ids.length)
  })

  it('says where it saved uncommitted work', async () => {
    const { id } = await spawned()
    setAlive(id, false)
    const rescue = { ref: `refs/ao/rescue/${id}/1`, commit: 'abc' }
    vi.spyOn(await world.registry.load('workspace', 'fake'), 'snapshot').mockResolvedValue(rescue)
    const onRescue = vi.fn()
    await world.manager.cleanup(undefined, { onRescue })
    expect(onRescue).toHaveBeenCalledExactlyOnceWith(id, rescue)
  })

  it('S2.69 changes nothing in a dry run', async () => {
    const { id } = await spawned()
    setAlive(id, false)
    const before = readFileSync(world.paths.sessionFile(id), 'utf8')
    world.calls.length = 0
    expect((await world.manager.cleanup(undefined, { dryRun: true })).killed).toEqual([id])
    expect(world.calls).toEqual([])
    expect(readFileSync(world.paths.sessionFile(id), 'utf8')).toBe(before)
  })

  it('S2.72 continues after a session that fails', async () => {
    const first = await spawned()
    const second = await spawned()
    setAlive(first.id, false)
    setAlive(second.id, false)
    world.failing.set('workspace.destroy', new Error('busy'))
    const result = await world.manager.cleanup()
    expect(result.errors).toEqual([
      { sessionId: first.id, error: 'busy' },
      { sessionId: second.id, error: 'busy' },
    ])
  })

  it('S2.78 S0.87 leaves sessions that can be restored, and can be run again', async () => {
    const { id } = await spawned()
    setAlive(id, false)
    const { killed } = await world.manager.cleanup()
    expect(await world.manager.cleanup()).toEqual({ killed: [], skipped: [], errors: [] })
    expect((await world.manager.restore(killed[0]!)).id).toBe(id)
  })

  it('S2.76 never takes an orchestrator', async () => {
    const { id } = await world.manager.spawnOrchestrator({ projectId: 'my-app', systemPrompt: 'manage' })
    setAlive(id, false)
    expect((await world.manager.cleanup()).skipped).toEqual([id])
  })
})

describe('send', () => {
  it('S2.79 S2.80 S2.82 hands the text to the runtime of the stored handle, verbatim', async () => {
    const { id } = await spawned()
    const text = 'CI is failing. Run `gh pr checks` to see failures and fix them.'
    await world.manager.send(id, text)
    expect(world.sent).toEqual([{ id: world.launches[0]!.name, text }])
  })

  it('S2.81 never makes up a handle', async () => {
    writeFileSync(world.paths.sessionFile((await spawned()).id), 'project=my-app\nstatus=working\nagent=fake\n')
    await expect(world.manager.send('my-app-1', 'hello')).rejects.toMatchObject({
      code: 'SESSION_NOT_RUNNING',
      message: expect.stringContaining('names no runtime'),
      hint: expect.not.stringContaining('restore'),
    })
    expect(world.sent).toEqual([])
  })

  it('refuses a dead session and an empty message', async () => {
    const { id } = await spawned()
    await expect(world.manager.send(id, '  \n')).rejects.toMatchObject({ code: 'USAGE' })
    die(id)
    await expect(world.manager.send(id, 'hello')).rejects.toMatchObject({ code: 'SESSION_NOT_RUNNING' })
  })

  it('reports a message that was not delivered, and never calls it a success', async () => {
    const { id } = await spawned()
    world.failing.set('runtime.sendMessage', new Error('pane is gone'))
    await expect(world.manager.send(id, 'hello')).rejects.toMatchObject({ code: 'MESSAGE_UNDELIVERED' })
    expect(await world.manager.deliver(id, 'hello')).toMatchObject({ level: 'undelivered', why: 'pane is gone' })
  })
})

describe('spawnOrchestrator', () => {
  it('S2.36–S2.41 runs in the project directory, without permission prompts, its prompt in a file', async () => {
    const systemPrompt = 'x'.repeat(100_000)
    const session = await world.manager.spawnOrchestrator({ projectId: 'my-app', systemPrompt })
    expect(session).toMatchObject({ id: 'my-app-orchestrator', workspacePath: world.repo })
    expect(session.metadata.role).toBe('orchestrator')
    const launch = world.agentLaunches.at(-1)!
    expect(launch.permissions).toBe('skip')
    expect(readFileSync(launch.systemPromptFile!, 'utf8')).toBe(systemPrompt)
    expect(world.calls).not.toContain('workspace.create')
  })

  it('returns the running one, and brings back the one that ended', async () => {
    const first = await world.manager.spawnOrchestrator({ projectId: 'my-app' })
    expect((await world.manager.spawnOrchestrator({ projectId: 'my-app' })).createdAt).toEqual(first.createdAt)
    expect(world.launches).toHaveLength(1)
    setAlive(first.id, false)
    await world.manager.spawnOrchestrator({ projectId: 'my-app' })
    expect(world.launches).toHaveLength(2)
  })

  it('S2.65 keeps the project when it is killed', async () => {
    const { id } = await world.manager.spawnOrchestrator({ projectId: 'my-app' })
    await world.manager.kill(id)
    expect(world.calls).not.toContain('workspace.destroy')
    expect(existsSync(join(world.repo, 'README.md'))).toBe(true)
  })
})

describe('claimPR', () => {
  it('moves a session onto an existing pull request', async () => {
    const { id } = await spawned()
    const claim = await world.manager.claimPR(id, '#12')
    expect(claim).toMatchObject({ sessionId: id, branchChanged: true, takenOverFrom: [] })
    expect(raw(id)).toMatchObject({ pr: 'https://example.invalid/pull/12', branch: 'pr-12', status: 'pr_open' })
  })

  it('S1.33 takes it over from another session only on request', async () => {
    const first = await spawned()
    const second = await spawned()
    await world.manager.claimPR(first.id, '12')
    await expect(world.manager.claimPR(second.id, '12')).rejects.toMatchObject({
      code: 'SESSION_BUSY',
      hint: expect.stringContaining(`a worktree must let go of it first: ao session kill ${first.id} --purge`),
    })
    expect((await world.manager.claimPR(second.id, '12', { takeover: true })).takenOverFrom).toEqual([first.id])
    expect(raw(first.id)).toMatchObject({ prAutoDetect: 'off', status: 'working' })
    expect(raw(first.id)).not.toHaveProperty('pr')
  })
})

describe('a closed pull request', () => {
  const url = 'https://example.invalid/pull/7'
  const note = (id: string, state: string) => {
    const facts = JSON.stringify({ url, state, ci: 'pending', review: 'none', mergeable: null })
    const file = world.paths.sessionFile(id)
    const others = readFileSync(file, 'utf8').replace(/^(pr|prFacts)=.*\n/gm, '')
    writeFileSync(file, `${others}pr=${url}\nprFacts=${facts}\n`)
  }

  it('S0.31 does not end a session whose agent is running: it accepts messages, and a reopened one counts again', async () => {
    const { id } = await spawned()
    note(id, 'closed')
    expect((await world.manager.get(id))?.status).toBe('working')
    await world.manager.send(id, 'try another way')
    expect(world.sent.map(({ text }) => text)).toEqual(['try another way'])
    await expect(world.manager.restore(id)).rejects.toBeInstanceOf(SessionNotRestorableError)
    note(id, 'open')
    expect((await world.manager.get(id))?.status).toBe('pr_open')
  })

  it('is forgotten by a restore, which is free to open another', async () => {
    const { id } = await spawned()
    note(id, 'closed')
    die(id)
    await world.manager.restore(id)
    expect(await world.manager.get(id)).toMatchObject({ status: 'working', pr: null })
  })

  it.each(['open', 'unknown'])('S0.13 S0.39 an %s one gives a restored session its status', async (state) => {
    const { id } = await spawned()
    if (state === 'open') note(id, 'open')
    else writeFileSync(world.paths.sessionFile(id), `${readFileSync(world.paths.sessionFile(id), 'utf8')}pr=${url}\n`)
    await world.manager.kill(id, { keepWorkspace: true })
    expect((await world.manager.restore(id)).status).toBe('pr_open')
    world.activity.current = { state: 'idle', timestamp: new Date(0) }
    expect((await world.manager.get(id))?.status).toBe('pr_open')
  })
})

describe('a message after a restore', () => {
  async function restored(resume: string[] | null, seen: (text: string) => boolean | null) {
    await world.cleanup()
    world = await createFakeWorld({
      agent: { hasSeen: async (_session, text) => seen(text) },
    })
    const { id } = await spawned('the task')
    await world.manager.kill(id, { keepWorkspace: true })
    world.resume.current = resume
    await world.manager.restore(id)
    return id
  }

  it.each([
    ['shows the prompt', true, 'yes'],
    ['never showed the prompt', false, 'resumed'],
    ['cannot be read', null, 'resumed'],
  ])('goes at once to a resumed agent whose history %s', async (_what, answer, promptDelivered) => {
    const id = await restored(['sh', '--resume'], (text) => (text === 'hello' ? true : answer))
    expect(raw(id)?.promptDelivered).toBe(promptDelivered)
    const started = performance.now()
    for (let round = 0; round < 3; round++) await world.manager.deliver(id, 'hello')
    expect(performance.now() - started).toBeLessThan(5_000)
    expect(world.sent).toHaveLength(3)
  })

  it('waits for the prompt of a fresh start, and only for as long as the start is young', async () => {
    let shown = false
    const id = await restored(null, () => shown)
    expect(raw(id)?.promptDelivered).toBe('unconfirmed')
    setTimeout(() => {
      shown = true
    }, 300)
    const started = performance.now()
    await world.manager.deliver(id, 'hello')
    expect(performance.now() - started).toBeGreaterThan(250)
    expect(raw(id)?.promptDelivered).toBe('yes')
  })

  it('does not wait for a prompt that an old start never showed', async () => {
    const id = await restored(null, (text) => text === 'hello')
    const file = world.paths.sessionFile(id)
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^restoredAt=.*$/m, 'restoredAt=2026-01-01T00:00:00Z'))
    const started = performance.now()
    await world.manager.deliver(id, 'hello')
    expect(performance.now() - started).toBeLessThan(5_000)
  })
})

describe('an agent whose resume leaves out its first message', () => {
  const texts = () => world.sent.map(({ text }) => text)

  async function ended(agent: Partial<Agent> = {}) {
    await world.cleanup()
    world = await createFakeWorld({
      agent: {
        hasSeen: async (_session, text) => texts().includes(text),
        messageLostByResume: (launch) => launch.prompt ?? null,
        ...agent,
      },
    })
    const { id } = await spawned('Paint the shed')
    await world.manager.kill(id, { keepWorkspace: true })
    world.sent.length = 0
    return id
  }

  it('gets it again after every restore, once, for reference, before anything else', async () => {
    const id = await ended()
    world.resume.current = ['sh', '--resume']
    for (let round = 1; round <= 2; round++) {
      await world.manager.restore(id)
      expect(texts()).toHaveLength(1)
      expect(texts()[0]).toMatch(/for reference[\s\S]*Do not start over[\s\S]*Paint the shed/)
      await world.manager.deliver(id, 'And the door')
      expect(texts().slice(1)).toEqual(['And the door'])
      expect(raw(id)?.messagesOnTheWay).toBeUndefined()
      await world.manager.kill(id, { keepWorkspace: true })
      world.sent.length = 0
    }
  })

  it('waits for it until the agent takes messages', async () => {
    const id = await ended({ readScreenInput: (screen) => ({ takes: screen === 'ready' ? 'text' : 'keys' }) as never })
    world.resume.current = ['sh', '--resume']
    world.screen.current = 'Do you trust this folder?'
    await world.manager.restore(id)
    expect(texts()).toEqual([])
    world.screen.current = 'ready'
    await world.manager.deliverHeld(id)
    expect(texts()).toEqual([expect.stringContaining('Paint the shed')])
  })

  it('is not told twice when it starts afresh with its task', async () => {
    const id = await ended()
    world.resume.current = null
    await world.manager.restore(id)
    expect(texts()).toEqual([])
    expect(world.launches.at(-1)?.command.at(-1)).toContain('Paint the shed')
  })

  it('gets nothing when there was no first message', async () => {
    const id = await ended({ messageLostByResume: () => null })
    world.resume.current = ['sh', '--resume']
    await world.manager.restore(id)
    expect(texts()).toEqual([])
  })
})

describe('an answer', () => {
  it.each([
    ['S0.37 of an agent with records', true],
    ['S0.37 of an agent without any', null],
  ])('%s ends needs_input at once and leaves an event', async (_what, seen) => {
    await world.cleanup()
    world = await createFakeWorld({ agent: { hasSeen: async () => seen } })
    const { id } = await spawned()
    const file = world.paths.sessionFile(id)
    writeFileSync(file, readFileSync(file, 'utf8').replace('status=working', 'status=needs_input'))
    await world.manager.deliver(id, 'yes')
    expect(raw(id)?.status).toBe('working')
    expect(readFileSync(world.paths.historyFile(id), 'utf8')).toContain('"from":"needs_input","to":"working"')
  })
})

describe('what a session shows', () => {
  it('S1.43 a pinned summary wins over the agent’s own', async () => {
    const { id } = await spawned()
    writeFileSync(
      world.paths.sessionFile(id),
      `${readFileSync(world.paths.sessionFile(id), 'utf8')}pinnedSummary=Mine\n`,
    )
    expect((await world.manager.get(id))?.agentInfo?.summary).toBe('Mine')
  })

  it('S3.5 S3.8 has no workspace and no branch before they exist, and no workspace once it is gone', async () => {
    const seen: Array<[string | null, string | null] | undefined> = []
    await world.cleanup()
    const own: FakeWorld = await createFakeWorld({
      workspace: {
        async create(spec) {
          const session = await own.manager.get(spec.sessionId)
          seen.push(session ? [session.branch, session.workspacePath] : undefined)
          const path = join(own.temp.home, 'ws', spec.projectId, spec.sessionId)
          mkdirSync(path, { recursive: true })
          return {
            path,
            branch: spec.branch,
            sessionId: spec.sessionId,
            projectId: spec.projectId,
            branchCreated: true,
          }
        },
      },
    })
    world = own
    const { id, branch, workspacePath } = await spawned()
    expect(seen).toEqual([[null, null]])
    expect(await world.manager.get(id)).toMatchObject({ branch, workspacePath })
    rmSync(workspacePath!, { recursive: true })
    expect(await world.manager.get(id)).toMatchObject({ branch, workspacePath: null })
  })

  it('S2.44 is read from a directory of any name', () => {
    const directory = join(world.temp.home, 'elsewhere')
    mkdirSync(directory)
    writeFileSync(join(directory, 'svc-1'), 'status=working\n')
    expect(readMetadataRaw(directory, 'svc-1')).toEqual({ status: 'working' })
  })

  it('S1.54 counts each operation under its project, also one that leaves nothing behind', async () => {
    const records: string[] = []
    const manager = createSessionManager({
      config: { ...world.config, projects: { ...world.config.projects, other: world.config.projects['my-app']! } },
      registry: world.registry,
      env: world.env,
      home: world.temp.home,
      aoCommand: ['ao'],
      observe: (operation, { projectId, sessionId }) => void records.push(`${projectId}::${operation} ${sessionId}`),
    })
    const { id } = await manager.spawn({ projectId: 'my-app', prompt: 'work' })
    await manager.send(id, 'hello')
    await manager.kill(id)
    await manager.restore(id)
    const expected = ['spawn', 'send', 'kill', 'restore'].map((operation) => `my-app::${operation} ${id}`)
    expect(records).toEqual(expected)
  })
})

describe('a merged session', () => {
  it.each([false, true])('S0.72 S2.54 stays merged when it is killed, with force: %s', async (force) => {
    const { id } = await spawned()
    const file = world.paths.sessionFile(id)
    writeFileSync(file, readFileSync(file, 'utf8').replace('status=working', 'status=merged'))
    await world.manager.kill(id, { keepWorkspace: true, force })
    expect(raw(id)?.status).toBe('merged')
    await expect(world.manager.restore(id)).rejects.toBeInstanceOf(SessionNotRestorableError)
  })
})

it('finishes a rewind of this very process whose end no disk took, and leaves one alone that is under way', async () => {
  const { id } = await spawned()
  const own = formatIdentity(currentProcess())
  appendFileSync(world.paths.sessionFile(id), `returner=${own}\nconversationTo=1\n`)
  const during = await whileReturning(id, () => world.manager.recover())
  expect([during, raw(id)?.returner]).toEqual([[], own])
  expect(await world.manager.recover()).toEqual([{ sessionId: id, outcome: 'finished' }])
  expect([raw(id)?.returner, raw(id)?.conversationTo, raw(id)?.endedAs]).toEqual([undefined, undefined, undefined])
  expect(world.launches).toHaveLength(2)
})
