import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTempHome, type TempHome } from '../../../test/support/temp-home.ts'
import { AoError } from '../../contract/errors.ts'
import { type DockerOptions, dockerEngine } from './docker-engine.ts'

let temp: TempHome
beforeEach(() => {
  temp = createTempHome()
})
afterEach(async () => expect(await temp.cleanup()).toEqual([]))

const launch = { name: 'h-app-1', spawnId: '0123456789abcdef' }

/** An engine whose command notes what it was asked and answers everything like this. */
function engineThat(stderr: string, exitCode: number, more: Partial<DockerOptions> = {}) {
  const command = join(temp.home, 'fake-docker')
  const script = `#!/bin/sh\necho "$*" >> '${temp.home}/asked'\necho made\ncat >&2 <<'E'\n${stderr}\nE\nexit ${exitCode}\n`
  writeFileSync(command, script, { mode: 0o755 })
  const options = { image: 'my/agents:1', network: 'full' as const, command, ...more }
  return dockerEngine(options, temp.env, temp.home)
}

async function refusal(act: Promise<unknown>): Promise<AoError> {
  const error = await act.then(
    () => null,
    (failure: unknown) => failure,
  )
  expect(error).toBeInstanceOf(AoError)
  return error as AoError
}

describe('a container that cannot be started', () => {
  it.each([
    [
      'an image that does not exist',
      "Unable to find image 'my/agents:1' locally\ndocker: Error response from daemon: pull access denied for my/agents, repository does not exist.\nSee 'docker run --help'.",
      'PLACE_FAILED',
      /^The image my\/agents:1 could not be had: pull access denied/,
      /fake-docker pull my\/agents:1$/,
    ],
    [
      'a registry that cannot be reached',
      "Unable to find image 'my/agents:1' locally\ndocker: Error response from daemon: dial tcp: lookup registry: no such host.",
      'PLACE_FAILED',
      /^The image my\/agents:1 could not be had: dial tcp/,
      /fake-docker pull/,
    ],
    [
      'no daemon',
      'docker: Cannot connect to the Docker daemon at unix:///nowhere.sock. Is the docker daemon running?',
      'PLACE_UNREACHABLE',
      /^The container engine cannot be reached: .*nowhere\.sock/,
      /fake-docker version$/,
    ],
    [
      'no access to the daemon',
      'permission denied while trying to connect to the docker API at unix:///var/run/docker.sock',
      'PLACE_UNREACHABLE',
      /^The container engine cannot be reached: permission denied/,
      /may you use it/,
    ],
    [
      'an unknown context',
      'Failed to initialize: unable to resolve docker endpoint: context "x": context not found',
      'PLACE_FAILED',
      /was not found/,
      /docker context ls$/,
    ],
    [
      'an image without a shell',
      'docker: Error response from daemon: failed to create task: exec: "sh": executable file not found in $PATH: unknown.',
      'PLACE_FAILED',
      /^The image my\/agents:1 has no shell/,
      /git/,
    ],
    [
      'anything else',
      'docker: Error response from daemon: minimum memory limit allowed is 6MB.',
      'PLACE_FAILED',
      /refused: minimum memory/,
      /run --rm my\/agents:1 true$/,
    ],
  ])('is explained: %s', async (_what, stderr, code, message, hint) => {
    const error = await refusal(engineThat(stderr, 125).start(launch))
    expect(error.code).toBe(code)
    expect(error.message).toMatch(message)
    expect(error.hint).toMatch(hint)
    // Whatever may have been made is removed.
    expect(readFileSync(join(temp.home, 'asked'), 'utf8')).toContain('rm --force ao-h-app-1-01234567')
  })

  it('is explained: no such command', async () => {
    const error = await refusal(engineThat('', 0, { command: 'no-such-engine' }).start(launch))
    expect(error).toMatchObject({ code: 'TOOL_MISSING', message: expect.stringContaining('no-such-engine') })
  })
})

describe('a place test', () => {
  it('fails for an image that is not here and cannot be pulled', async () => {
    const output = 'Error response from daemon: manifest unknown: manifest unknown'
    const script = `case "$1" in version) echo 20 ;; *) echo "${output}" >&2; exit 1 ;; esac`
    writeFileSync(join(temp.home, 'engine'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    const how = { image: 'gone:1', network: 'none' as const, command: join(temp.home, 'engine') }
    const error = await refusal(dockerEngine(how, temp.env, temp.home).check())
    expect(error.message).toBe('The image gone:1 could not be had: manifest unknown: manifest unknown')
  })

  it('names an image for another processor', async () => {
    const script = 'case "$1" in run) echo "exec /usr/bin/sh: exec format error" >&2; exit 1 ;; *) echo 20 ;; esac'
    writeFileSync(join(temp.home, 'engine'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    const how = { image: 'arm:1', network: 'none' as const, command: join(temp.home, 'engine') }
    const error = await refusal(dockerEngine(how, temp.env, temp.home).check())
    expect(error.message).toMatch(/The image arm:1 is for another processor/)
    expect(error.hint).toContain('{{.Architecture}}')
  })
})

describe('whether a container is there', () => {
  it('says that its image is for another processor, when that is why it stopped', async () => {
    const script =
      'case "$1" in inspect) echo "exited 1 false" ;; logs) echo "exec /bin/sh: exec format error" >&2 ;; esac'
    writeFileSync(join(temp.home, 'engine'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    const how = { image: 'arm:1', network: 'none' as const, command: join(temp.home, 'engine') }
    expect(await dockerEngine(how, temp.env, temp.home).probe('abc')).toEqual({
      state: 'gone',
      why: "The image arm:1 is for another processor than the engine's machine",
    })
  })

  it('is unknown when the engine does not answer, and gone only when the engine says so', async () => {
    const cut = engineThat('Cannot connect to the Docker daemon', 1)
    expect(await cut.probe('abc')).toMatchObject({ state: 'unknown' })
    await refusal(cut.list())
    expect(await engineThat('Error: No such object: abc', 1).probe('abc')).toMatchObject({ state: 'gone' })
  })
})

describe('a container', () => {
  it('has limits by default, and the host’s files read-only', async () => {
    await engineThat('', 0).start(launch)
    const calls = readFileSync(join(temp.home, 'asked'), 'utf8')
    expect(calls).toMatch(/^run --detach .*--volume ao-host-[0-9a-f]{12}:\/opt\/ao-host:ro,nocopy /)
    expect(calls).toContain('--pids-limit 4096 --security-opt no-new-privileges --cap-drop AUDIT_WRITE')
  })

  it('has those of its place instead', async () => {
    const more = { pids: 64, noNewPrivileges: false, capDrop: ['ALL'], capAdd: ['CHOWN'] }
    await engineThat('', 0, more).start(launch)
    const calls = readFileSync(join(temp.home, 'asked'), 'utf8')
    expect(calls).toContain('--pids-limit 64 --cap-drop ALL --cap-add CHOWN ')
    expect(calls).not.toContain('no-new-privileges')
  })

  it('never runs a program with a right to write what other containers run', async () => {
    const engine = engineThat('', 0)
    await engine.start(launch)
    await engine.shared!.put(
      () => Buffer.from('a tar'),
      async () => false,
    )
    await engine.shared!.put(
      () => Buffer.from('a tar'),
      async () => true,
    )
    const calls = readFileSync(join(temp.home, 'asked'), 'utf8')
      .split('\n')
      .filter((line) => /^(?:run|create|cp|rm|start|exec) /.test(line))
    expect(calls.map((line) => line.split(' ')[0])).toEqual(['run', 'create', 'cp', 'rm'])
    expect(calls[1]).toMatch(/--volume ao-host-[0-9a-f]{12}:\/opt\/ao-host:nocopy /)
    expect(calls[2]).toMatch(/^cp - .*:\/opt\/ao-host$/)
  })
})
