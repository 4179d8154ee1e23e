// What happens to a session in a place when something between home and its agent fails: the table in docs/places.md.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { git } from '../support/git-repo.ts'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'
import { startEngine, type TestEngine, whyNoDocker } from './docker-daemon.ts'
import { killWith } from './kill-with.ts'
import { hostWords, type Listed, ready, session, startSession, why } from './session-there.ts'
import { startMachine, type TestMachine, whyNoSsh } from './ssh-machine.ts'

const endings: Array<() => Promise<unknown>> = []

beforeAll(buildAo)
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
})

const onEnd = (end: () => Promise<unknown>) => void endings.push(end)

async function arrives(ao: AoWorld, text: string): Promise<void> {
  const sent = await ao.ao(['send', 'app-1', text])
  expect(sent.stdout, sent.stderr).toContain('seen by app-1')
  await ready(ao)
  expect((await ao.ao(['session', 'show', 'app-1'])).stdout).toContain(text)
}

/** Silence, not a closed connection. */
async function isCutOff(ao: AoWorld, line: { cut(): void; mend(): void }): Promise<void> {
  line.cut()
  await waitFor('the loss', async () => /not connected/.test(await why(ao)), 60_000)
  expect((await session(ao)).status).not.toMatch(/killed|errored|done/)
  const refused = await ao.ao(['send', 'app-1', 'Into the void'])
  expect(refused.stdout).not.toContain('seen by')
  await pause(60_000)
  line.mend()
  await waitFor('the line', async () => /, connected since/.test(await why(ao)), 90_000)
  await arrives(ao, 'Back again')
}

/** As when the machine of ao crashes, with its loop, its lines and its connections. */
async function losesHome(ao: AoWorld): Promise<void> {
  await ao.ao(['start'])
  const before = await session(ao)
  expect(killWith('', ao.temp.home)).toBeGreaterThan(1)
  await waitFor(
    'the line',
    async () => (await session(ao)).activity === 'ready' && /, connected since/.test(await why(ao)),
  )
  expect(await session(ao)).toMatchObject({ id: before.id, status: before.status })
  await arrives(ao, 'After the crash')
}

/** A file that is not committed, in the middle of nothing that would save it. */
const WRITES = (ao: AoWorld) => ['sh', '-c', `echo late > "${hostWords(ao).slice('serve '.length)}/work/late.txt"`]

/** Whoever ends the place asks for it first: SIGTERM, and some seconds. */
async function losesPlaceKindly(ao: AoWorld, write: () => void, end: () => Promise<void>): Promise<void> {
  write()
  await end()
  await waitFor('the end', async () => (await session(ao)).activity === 'exited', 60_000)
  expect(readFileSync(join(ao.temp.home, '.worktrees', 'app', 'app-1', 'late.txt'), 'utf8')).toBe('late\n')
}

const kind = process.env.AO_TEST_PODMAN ? 'podman' : 'docker'
const noDocker = whyNoDocker(kind)
const noSsh = whyNoSsh()

describe.skipIf(noDocker !== null)(`in a container${noDocker ? ` (${noDocker})` : ''}`, () => {
  async function inContainer(): Promise<{ ao: AoWorld; engine: TestEngine }> {
    const engine = await startEngine(kind)
    endings.push(() => engine.stop())
    const there = `{ type: docker, image: '${engine.image}', host: '${engine.host}', network: none }`
    return { ao: await startSession({ places: `{ there: ${there} }`, onEnd }), engine }
  }

  it('the line at home is killed: the next command opens another, and a message arrives', async () => {
    const { ao } = await inContainer()
    killWith('place-line', ao.temp.home)
    await arrives(ao, 'After the loss')
  })

  it('the host there is killed: the session ends, its work is home, and it can be restored', async () => {
    const { ao } = await inContainer()
    killWith(hostWords(ao))
    await waitFor('the end', async () => (await session(ao)).activity === 'exited', 60_000)
    expect(await why(ao)).toMatch(/home has its work as of/)
    const restored = await ao.ao(['session', 'restore', 'app-1'])
    expect(restored.code, restored.stderr).toBe(0)
    await ready(ao)
  })

  it('the container is stopped: its work comes home first', async () => {
    const { ao, engine } = await inContainer()
    await losesPlaceKindly(
      ao,
      () => engine.run(['exec', engine.containers()[0]!, ...WRITES(ao)]),
      async () => {
        engine.run(['stop', engine.containers()[0]!])
      },
    )
  })

  it('the engine does not answer for 60 seconds: unknown meanwhile, then everything continues', async () => {
    const { ao, engine } = await inContainer()
    await isCutOff(ao, engine)
  }, 300_000)

  it('everything of ao at home is killed: the session notices nothing, and a message arrives', async () => {
    const { ao } = await inContainer()
    await losesHome(ao)
  })

  it('the container is gone: that is known with its reason, and restore starts another', async () => {
    const { ao, engine } = await inContainer()
    engine.removeAll()
    await waitFor('the end', async () => (await session(ao)).activity === 'exited', 60_000)
    const restored = await ao.ao(['session', 'restore', 'app-1'])
    expect(restored.code, restored.stderr).toBe(0)
    await ready(ao)
    expect(readdirSync(join(ao.temp.home, '.worktrees', 'app', 'app-1', 'demo'))).toEqual(['app-1.md'])
  })
})

describe.skipIf(noDocker !== null)(`bad input of containers${noDocker ? ` (${noDocker})` : ''}`, () => {
  it('is one clear error each with the next command, and leaves nothing there', async () => {
    const engine = await startEngine(kind)
    endings.push(() => engine.stop())
    engine.importImage('bare:1', ['bin/busybox', 'bin/sh'])
    engine.importImage('empty:1', ['bin/busybox'])
    const place = (image: string, host = engine.host) =>
      `{ type: docker, image: '${image}', host: '${host}', network: none }`
    const config = `port: 0
defaults: { agent: demo, runtime: process }
projects:
  app: { path: . }
places:
  imageless: ${place('nowhere.invalid/none:1')}
  gitless: ${place('bare:1')}
  shellless: ${place('empty:1')}
  dead: ${place(engine.image, 'unix:///nowhere/engine.sock')}
`
    const ao = createAoWorld({ config })
    endings.push(() => ao.temp.cleanup())
    await ao.ao(['config', 'trust', '--yes'])
    const refusal = async (name: string) => (await ao.ao(['spawn', '--prompt', 'x', '--place', name])).stderr
    expect(await refusal('imageless')).toMatch(
      /The image nowhere\.invalid\/none:1 could not be had.*hint: .*pull nowhere/s,
    )
    expect(await refusal('gitless')).toMatch(/git is not installed there.*hint: Install git there/s)
    expect(await refusal('shellless')).toMatch(/The image empty:1 has no shell.*hint: Use an image with sh/s)
    expect(await refusal('dead')).toMatch(/The container engine cannot be reached.*hint: .*version/s)
    expect((await ao.ao(['place', 'test', 'gitless'])).stderr).toMatch(/git is not installed in the image bare:1/)
    expect((await ao.json<Listed>(['status'])).sessions).toEqual([])
    expect(engine.containers()).toEqual([])
    expect(readdirSync(join(ao.temp.home, '.worktrees', 'app'))).toEqual([])
    writeFileSync(join(ao.repo, 'agent-orchestrator.yaml'), `${config}  vague: { type: docker }\n`)
    expect((await ao.ao(['config', 'trust', '--yes'])).stderr).toMatch(/places\.vague\.image: is missing/)
  })

  it('`image: devcontainer` is built of the repository, with consent to exactly what is there', async () => {
    const engine = await startEngine(kind)
    endings.push(() => engine.stop())
    const ao = createAoWorld({
      config: `port: 0
defaults: { agent: demo, runtime: process }
places: { there: { type: docker, image: devcontainer, host: '${engine.host}', network: none } }
projects:
  app: { path: ., place: there, tracker: local, scm: local, postCreate: ['cat /built > built-there.txt'] }
`,
    })
    endings.push(() => ao.temp.cleanup())
    const write = (file: string, text: string) => {
      mkdirSync(join(ao.repo, '.devcontainer'), { recursive: true })
      writeFileSync(join(ao.repo, '.devcontainer', file), text)
      git(ao.repo, ao.temp.env, 'add', '-A')
      git(ao.repo, ao.temp.env, 'commit', '-qm', file)
    }
    await ao.ao(['config', 'trust', '--yes'])
    expect((await ao.ao(['spawn', '--prompt', 'x'])).stderr).toMatch(/there is no \.devcontainer\/devcontainer\.json/)
    const commands = '"initializeCommand": "touch /tmp/never", "postCreateCommand": "touch /never"'
    write('devcontainer.json', `{ "build": { "dockerfile": "Dockerfile" }, ${commands} } // mine`)
    write('Dockerfile', `FROM ${engine.image}\nRUN echo built > /built\n`)
    expect((await ao.ao(['spawn', '--prompt', 'x'])).stderr).toMatch(/\.devcontainer.*ao config trust/s)
    expect((await ao.json<Listed>(['status'])).sessions).toEqual([])
    await ao.ao(['config', 'trust', '--yes'])
    const spawned = await ao.ao(['spawn', '--prompt', 'Write a note'])
    expect(spawned.code, spawned.stderr).toBe(0)
    expect(spawned.stderr).toMatch(/Not used of .*initializeCommand, postCreateCommand/)
    await waitFor('the built file at home', () =>
      readFileSync(
        join(ao.temp.home, '.worktrees', 'app', spawned.stdout.match(/SESSION=(\S+)/)![1]!, 'built-there.txt'),
        'utf8',
      ).includes('built'),
    )
  })

  it('`runtime: docker` is short for a place', async () => {
    const engine = await startEngine(kind)
    endings.push(() => engine.stop())
    const ao = createAoWorld({
      config: `port: 0
defaults: { agent: demo }
plugins: { runtime: { name: docker, config: { image: '${engine.image}', host: '${engine.host}', network: none } } }
projects:
  app: { path: ., runtime: docker, tracker: local, scm: local }
`,
    })
    endings.push(() => ao.temp.cleanup())
    await ao.ao(['config', 'trust', '--yes'])
    const spawned = await ao.ao(['spawn', '--prompt', 'Write a note'])
    expect(spawned.stdout, spawned.stderr).toContain('SESSION=app-1')
    await ready(ao)
    expect(await session(ao)).toMatchObject({ place: 'docker' })
    expect((await ao.ao(['session', 'kill', 'app-1'])).code).toBe(0)
    expect(engine.containers()).toEqual([])
  })
})

describe.skipIf(noSsh !== null)(`on a machine${noSsh ? ` (${noSsh})` : ''}`, () => {
  async function onMachine(): Promise<{ ao: AoWorld; machine: TestMachine }> {
    const machine = await startMachine({ pids: 'own', hasNode: true })
    endings.push(() => machine.stop())
    const box = `{ type: ssh, host: box, configFile: '${machine.configFile}' }`
    return { ao: await startSession({ places: `{ there: ${box} }`, onEnd }), machine }
  }

  it('the connection is cut for 60 seconds: unknown meanwhile, then everything continues', async () => {
    const { ao, machine } = await onMachine()
    await isCutOff(ao, machine)
  }, 300_000)

  it('everything of ao at home is killed: the session notices nothing, and a message arrives', async () => {
    const { ao } = await onMachine()
    await losesHome(ao)
  })

  it('the line at home is killed: the next command opens another, and a message arrives', async () => {
    const { ao } = await onMachine()
    killWith('place-line', ao.temp.home)
    await arrives(ao, 'After the loss')
  })

  it('the host there is killed: the session ends, its work is home, and it can be restored', async () => {
    const { ao, machine } = await onMachine()
    machine.killAll(hostWords(ao))
    await waitFor('the end', async () => (await session(ao)).activity === 'exited', 60_000)
    expect(await why(ao)).toMatch(/home has its work as of/)
    const restored = await ao.ao(['session', 'restore', 'app-1'])
    expect(restored.code, restored.stderr).toBe(0)
    await ready(ao)
  })

  it('the host is asked to end, as by a shutdown: its work comes home first', async () => {
    const { ao, machine } = await onMachine()
    const write = () => machine.run(WRITES(ao)[2]!)
    await losesPlaceKindly(ao, write, async () => machine.killAll(hostWords(ao), 'SIGTERM'))
    const restored = await ao.ao(['session', 'restore', 'app-1'])
    expect(restored.code, restored.stderr).toBe(0)
    await ready(ao)
  })

  it('the machine is gone: unknown, never dead; the session continues elsewhere with its work', async () => {
    const { ao, machine } = await onMachine()
    await machine.die()
    await waitFor('the loss', async () => /not connected/.test(await why(ao)), 60_000)
    expect((await session(ao)).activity).not.toBe('exited')
    expect((await ao.ao(['session', 'move', 'app-1', '--here'])).code).not.toBe(0)
    const moved = await ao.ao(['session', 'move', 'app-1', '--here', '--force'])
    expect(moved.code, moved.stderr).toBe(0)
    expect((await session(ao)).place).toBeNull()
    expect(readdirSync(join(ao.temp.home, '.worktrees', 'app', 'app-1', 'demo'))).toEqual(['app-1.md'])
    await ao.ao(['session', 'kill', 'app-1'])
  })

  it('bad input is one clear error each, and leaves nothing there', async () => {
    const machine = await startMachine({ pids: 'own', hasNode: true })
    endings.push(() => machine.stop())
    const ssh = `type: ssh, host: box, configFile: '${machine.configFile}'`
    // The same machine by another key, and with a host key that nobody has seen.
    const text = readFileSync(machine.configFile, 'utf8')
    const beside = (name: string, change: [RegExp, string]) => {
      const file = `${machine.configFile}-${name}`
      writeFileSync(file, text.replace(...change))
      return file
    }
    const strangerKey = `${machine.configFile}-key`
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', strangerKey])
    const stranger = beside('stranger', [/IdentityFile \S+/, `IdentityFile ${strangerKey}`])
    const unseen = beside('unseen', [/UserKnownHostsFile \S+\n.*/, 'UserKnownHostsFile /dev/null'])
    const config = `port: 0
defaults: { agent: demo, runtime: process }
projects:
  app: { path: . }
places:
  box: { ${ssh}, maxSessions: 1 }
  stranger: { type: ssh, host: box, configFile: '${stranger}' }
  unseen: { type: ssh, host: box, configFile: '${unseen}' }
  nowhere: { type: ssh, host: nowhere.invalid }
`
    const ao = createAoWorld({ config })
    endings.push(() => ao.temp.cleanup())
    await ao.ao(['config', 'trust', '--yes'])
    const refusal = async (...argv: string[]) => (await ao.ao(['spawn', '--prompt', 'x', '--place', ...argv])).stderr
    expect(await refusal('unknown')).toMatch(/There is no place unknown/)
    expect(await refusal('stranger')).toMatch(/does not accept your key/)
    expect(await refusal('unseen')).toMatch(/host key/)
    expect(await refusal('nowhere')).toMatch(/nowhere\.invalid cannot be reached/)
    for (const name of ['unknown', 'stranger', 'unseen', 'nowhere']) {
      expect((await ao.ao(['place', 'test', name])).code, name).not.toBe(0)
    }
    await ao.ao(['place', 'drain', 'box'])
    expect(await refusal('box')).toMatch(/is being drained/)
    expect((await ao.json<Listed>(['status'])).sessions).toEqual([])
    expect(machine.run('ls ~/.ao-place/s 2>/dev/null || true').trim()).toBe('')
    writeFileSync(join(ao.repo, 'agent-orchestrator.yaml'), `${config}  odd: { type: balloon }\n`)
    expect((await ao.ao(['config', 'trust', '--yes'])).stderr).toMatch(/balloon/)
  })
})
