// A session's life: it starts as asked, is seen alive, ends with a code, and is seen dead on proof only.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { withoutCallersTerminal } from '../../src/core/text/terminal-variables.ts'
import { identify } from '../../src/lib/process/process-identity.ts'
import { findBySpawnMarker } from '../../src/lib/process/process-tree.ts'
import { waitFor } from '../support/wait-for.ts'
import { processesOf, type RuntimeUnderTest, type RuntimeWorld, untilDead } from './runtime-world.ts'

export function testLife(world: RuntimeWorld, subject: RuntimeUnderTest): void {
  it('S0.3 runs the command itself in the workspace and shows its screen', async () => {
    const handle = await world.start(['sh', '-c', 'pwd -P; echo "$0 said"; exec sleep 60', "it's"])
    const output = await waitFor('output', async () => {
      const text = await world.runtime.getOutput(handle)
      return text.includes('said') && text
    })
    expect(output.split('\n').slice(0, 2)).toEqual([world.workspace, "it's said"])
    expect(await world.runtime.isAlive(handle)).toBe(true)
    expect(handle.runtimeName).toBe(world.runtime.name)
  })

  it('S1.23 carries the global name as the id of the handle', async () => {
    const handle = await world.start(['sleep', '60'], { name: 'a3b4c5d6e7f8-svc-1' })
    expect(handle.id).toBe('a3b4c5d6e7f8-svc-1')
  })

  it('S2.45 distinguishes a session from one with the same prefix', async () => {
    const one = await world.start(['sleep', '60'], { name: 'a3b4c5d6e7f8-svc-1' })
    const ten = await world.start(['sleep', '60'], { name: 'a3b4c5d6e7f8-svc-10' })
    await world.runtime.destroy(one)
    expect(await world.runtime.isAlive(one)).toBe(false)
    expect(await world.runtime.isAlive(ten)).toBe(true)
    await expect(world.runtime.sendMessage(one, 'to nobody')).rejects.toThrow()
    expect(await world.runtime.getOutput(ten)).not.toContain('nobody')
  })

  it('S0.10 keeps two instances with equal session ids apart', async () => {
    const ours = await world.start(['sleep', '60'], { name: 'aaaaaaaaaaaa-svc-1' })
    const theirs = await world.start(['sleep', '60'], { name: 'bbbbbbbbbbbb-svc-1' })
    await world.runtime.destroy(ours)
    expect(await world.runtime.isAlive(theirs)).toBe(true)
  })

  it('S2.45 knows how an agent ended: its exit code', async () => {
    const handle = await world.start(['sh', '-c', 'echo last words; exit 7'])
    expect(await untilDead(world.runtime, handle)).toMatchObject({ state: 'dead', exitCode: 7 })
    expect(await world.runtime.isAlive(handle)).toBe(false)
    expect(await world.runtime.getOutput(handle)).toContain('last words')
  })

  it('S2.45 knows how an agent ended: a kill -9', async () => {
    const handle = await world.start(['sh', '-c', 'echo up; exec sleep 60'])
    const liveness = (await world.runtime.probe!([handle])).get(handle.id)
    if (liveness?.state !== 'alive') throw new Error('not alive')
    const agent = subject.elsewhere ? processesOf(handle)[0]! : liveness.pid!
    process.kill(agent, 'SIGKILL')
    expect(await untilDead(world.runtime, handle)).toMatchObject({ state: 'dead', signal: 'SIGKILL' })
  })

  it('a command that does not exist is reported, and leaves nothing running', async () => {
    const launch = world.launchOf(['no-such-command-here', '--flag'])
    if (subject.missingCommand === 'refused') {
      await expect(world.runtime.create(launch)).rejects.toThrow(/no-such-command-here/)
    } else {
      const handle = await world.start(launch.command, launch)
      const dead = await untilDead(world.runtime, handle)
      expect(dead.state === 'dead' && dead.exitCode).toBe(127)
      expect(await world.runtime.getOutput(handle)).toMatch(/no-such-command-here.*not found/)
    }
    expect(findBySpawnMarker(launch.spawnId)).toEqual([])
  })

  it('never starts an agent outside its workspace', async () => {
    const command = ['sh', '-c', 'echo started > "$HOME/started"; sleep 60']
    await world.start(command, { workspacePath: join(world.temp.home, 'gone') }).then(
      (handle) => untilDead(world.runtime, handle),
      () => undefined,
    )
    expect(existsSync(join(world.temp.home, 'started'))).toBe(false)
  })

  it('gives the agent exactly the environment of its launch, and no argument list shows it', async () => {
    const file = join(world.temp.home, 'seen-environment')
    const environment = {
      SECRET_TOKEN: 'do-not-show-4711',
      ODD: 'quotes \' " and $HOME `id` \\ and ; and é\nsecond line\ttab',
      EMPTY: '',
      UID: '12345',
      IFS: 'x',
      TERM: 'dumb',
      TMUX: '/somewhere/else,1,0',
      PWD: '/wrong',
    }
    // The server or host may be started by a process with much in its environment; none of it may arrive.
    world.temp.env.OUTER_SECRET = 'outer-0815'
    const seen = watchArguments(['do-not-show-4711', 'outer-0815'])
    const script = `cat /proc/$$/environ > '${file}.new'; mv '${file}.new' '${file}'; exec sleep 60`
    const launch = world.launchOf(['/bin/sh', '-c', script], { environment })
    await world.start(launch.command, launch)
    const content = await waitFor('the environment', () => existsSync(file) && readFileSync(file, 'utf8'))
    expect(seen.stop()).toEqual([])

    const actual = Object.fromEntries(content.split('\0').slice(0, -1).map(splitVariable))
    const ofTerminal = ['TERM', 'TMUX', 'TMUX_PANE', 'TERM_PROGRAM', 'TERM_PROGRAM_VERSION']
    for (const name of ofTerminal) delete actual[name]
    expect(actual).toEqual(withoutCallersTerminal(launch.environment, world.workspace))
    if (!subject.speaksAcp) expect(content).toMatch(/(^|\0)TERM=[a-z]+-256color\0/)
    expect(filesWith(launch.stateDir, 'do-not-show-4711')).toEqual([])
  })

  it('refuses a name that runs already, unless it is the same launch', async () => {
    const launch = world.launchOf(['sleep', '60'])
    const first = await world.start(launch.command, launch)
    const again = await world.runtime.create(launch)
    expect(again).toEqual(first)
    const { spawnId: _, ...other } = launch
    await expect(world.runtime.create(world.launchOf(['sleep', '61'], other))).rejects.toMatchObject({
      code: 'RUNTIME_FAILED',
    })
    expect(await world.runtime.isAlive(first)).toBe(true)
    expect(processesOf(first)).toHaveLength(1)
  })

  it('S2.45 answers for many sessions at once, each with its own result', async () => {
    const alive = await Promise.all([1, 2, 3].map(() => world.start(['sleep', '60'])))
    const ended = await world.start(['sh', '-c', 'exit 3'])
    const destroyed = await world.start(['sleep', '60'])
    await untilDead(world.runtime, ended)
    await world.runtime.destroy(destroyed)
    const answers = await world.runtime.probe!([...alive, ended, destroyed])
    expect([...answers.values()].map((one) => one.state)).toEqual(['alive', 'alive', 'alive', 'dead', 'dead'])
    expect(await world.runtime.getOutput(destroyed)).toBe('')
  })

  it('lists what it runs', async () => {
    expect(await world.runtime.listNames!()).toEqual([])
    const names = ['a3b4c5d6e7f8-svc-1', 'a3b4c5d6e7f8-svc-2']
    const [first] = await Promise.all(names.map((name) => world.start(['sleep', '60'], { name })))
    expect((await world.runtime.listNames!()).toSorted()).toEqual(names)
    await world.runtime.destroy(first!)
    expect(await world.runtime.listNames!()).toEqual(['a3b4c5d6e7f8-svc-2'])
  })

  it('F29 does not call a session dead whose agent still runs', async () => {
    const handle = await world.start(['sh', '-c', "trap '' HUP TERM; echo up; while :; do sleep 0.1; done"])
    await waitFor('the agent', async () => (await world.runtime.getOutput(handle)).includes('up'))
    if (subject.speaksAcp) await subject.speaksAcp.lose()
    else if (subject.elsewhere) await subject.elsewhere.lose(handle)
    else await loseTerminal(world, handle.data ?? {})
    const states = new Set<string | undefined>()
    // Over ACP a daemon is brought back for it; elsewhere the loss is noticed within moments, not with the question.
    const last = subject.speaksAcp ? 'alive' : 'unknown'
    await waitFor(`it to be ${last}`, async () => {
      const state = (await world.runtime.probe!([handle])).get(handle.id)?.state
      states.add(state)
      return state === last
    })
    expect(states).not.toContain('dead')
    if (last === 'unknown')
      await expect(world.runtime.isAlive(handle)).rejects.toMatchObject({ code: 'RUNTIME_FAILED' })
    await world.runtime.destroy(handle)
    expect(await world.runtime.isAlive(handle)).toBe(false)
    // The daemon that was brought back has the environment of this test.
    await subject.speaksAcp?.lose()
  })

  it('starts many sessions at the same time', async () => {
    const handles = await Promise.all(
      Array.from({ length: subject.elsewhere?.many ?? 10 }, () => world.start(['sleep', '60'])),
    )
    const answers = await world.runtime.probe!(handles)
    expect(handles.map((handle) => answers.get(handle.id)?.state)).toEqual(handles.map(() => 'alive'))
  })
}

function splitVariable(line: string): [string, string] {
  const at = line.indexOf('=')
  return [line.slice(0, at), line.slice(at + 1)]
}

/** Reads every argument list of the machine, again and again, as another user could. */
function watchArguments(secrets: string[]): { stop(): string[] } {
  const found = new Set<string>()
  const sample = () => {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
        if (secrets.some((secret) => line.includes(secret))) found.add(line)
      } catch {
        // It ended meanwhile.
      }
    }
  }
  const timer = setInterval(sample, 1)
  return {
    stop: () => {
      clearInterval(timer)
      return [...found]
    },
  }
}

/** Locks are links to nothing. */
function filesWith(directory: string, text: string): string[] {
  const files = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isFile())
  return files.map(({ name }) => name).filter((name) => readFileSync(join(directory, name), 'latin1').includes(text))
}

/** What a careless person or a crash does: the terminal around the agent goes, the agent stays. */
async function loseTerminal(world: RuntimeWorld, data: Record<string, unknown>): Promise<void> {
  const pid = typeof data.host === 'string' ? Number(data.host.split(':')[0]) : tmuxServerPid(world)
  process.kill(pid, 'SIGKILL')
  await waitFor('the terminal to be gone', () => identify(pid) === null)
}

function tmuxServerPid(world: RuntimeWorld): number {
  const marker = `TMUX_TMPDIR=${world.temp.env.TMUX_TMPDIR}\0`
  const pid = readdirSync('/proc').find((name) => {
    try {
      return (
        /^\d+$/.test(name) &&
        readFileSync(`/proc/${name}/comm`, 'utf8').startsWith('tmux: server') &&
        readFileSync(`/proc/${name}/environ`, 'utf8').includes(marker)
      )
    } catch {
      return false
    }
  })
  return Number(pid)
}
