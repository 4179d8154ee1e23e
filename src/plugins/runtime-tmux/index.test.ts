import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createInChild, untilExit } from '../../../test/contract/runtime-suite-crash.ts'
import { contextOf, processesOf, untilDead, useRuntimeWorld } from '../../../test/contract/runtime-world.ts'
import { waitFor } from '../../../test/support/wait-for.ts'
import { exec } from '../../lib/exec.ts'
import { isNewEnough, plugin } from './index.ts'

const SUBJECT = {
  plugin,
  file: join(import.meta.dirname, 'index.ts'),
  missingCommand: 'ends',
  detachKeys: '\u0002d',
} as const
const FIXTURES = join(import.meta.dirname, '..', '..', '..', 'test', 'fixtures')

const world = useRuntimeWorld(SUBJECT)

function tmux(...args: string[]): string {
  return spawnSync('tmux', ['-u', '-L', 'ao', ...args], { env: world.temp.env, encoding: 'utf8' }).stdout
}

/** A runtime whose tmux is the given script. */
function runtimeWith(script: string) {
  const bin = join(world.temp.home, `bin-${script}`)
  mkdirSync(bin)
  copyFileSync(join(FIXTURES, script), join(bin, 'tmux'))
  const env = { ...world.temp.env, PATH: `${bin}:${world.temp.env.PATH}` }
  return plugin.create({ graceMs: 200 }, { ...contextOf(world.temp), env })
}

describe('a probe that was prepared', () => {
  it('calls no session dead that was started after its list was made', async () => {
    const first = await world.start(['sleep', '60'])
    world.runtime.prepareProbe!()
    const later = await world.start(['sleep', '60'])
    const answers = await world.runtime.probe!([first, later])
    expect([first, later].map(({ id }) => answers.get(id)?.state)).toEqual(['alive', 'alive'])
    await world.runtime.destroy(first)
    expect((await world.runtime.probe!([first, later])).get(first.id)?.state).toBe('dead')
  })
})

describe('the address of a session', () => {
  it('S1.23 is the tmux session {hash}-{prefix}-{num} on a server of its own', async () => {
    await world.start(['sleep', '60'], { name: 'a3b4c5d6e7f8-svc-1' })
    expect(tmux('list-sessions', '-F', '#{session_name} #{@ao_session}')).toBe('a3b4c5d6e7f8-svc-1 svc-1\n')
  })

  it('S1.38 may be a bare name', async () => {
    const tui = await world.startTui()
    const bare = { id: tui.handle.id, runtimeName: 'tmux' }
    expect(await world.runtime.isAlive(bare)).toBe(true)
    await world.runtime.sendMessage(bare, 'by name alone')
    expect(await tui.untilMessages(1)).toEqual(['by name alone'])
    // It notes a message before it draws it.
    await waitFor('its screen', async () => (await world.runtime.getOutput(bare)).includes('1 submitted'))
    await world.runtime.destroy(bare)
    expect(await world.runtime.isAlive(bare)).toBe(false)
    expect(processesOf(tui.handle)).toEqual([])
  })

  it('S2.81 accepts nothing from a handle that could be more than an address', async () => {
    const canary = join(world.temp.home, 'canary')
    const attack = `%0' ; run-shell 'touch ${canary}' ; display-message '`
    const tui = await world.startTui()
    const forged = { ...tui.handle, data: { pane: attack, spawnId: `x${attack}` } }
    await world.runtime.sendMessage(forged, 'harmless')
    expect(await tui.untilMessages(1)).toEqual(['harmless'])
    const strange = { id: attack, runtimeName: 'tmux' }
    await expect(world.runtime.sendMessage(strange, 'x')).rejects.toMatchObject({ code: 'RUNTIME_FAILED' })
    expect((await world.runtime.probe!([strange, tui.handle])).get(attack)).toMatchObject({ state: 'unknown' })
    expect(await world.runtime.getOutput(strange)).toBe('')
    expect(existsSync(canary)).toBe(false)
  })

  it('S2.83 stays the pane of the agent when the user splits the window', async () => {
    const tui = await world.startTui()
    tmux('split-window', '-t', `=${tui.handle.id}:`, 'sh -c "while read -r line; do echo wrong $line; done"')
    await world.runtime.sendMessage(tui.handle, 'to the agent')
    expect(await tui.untilMessages(1)).toEqual(['to the agent'])
  })

  it('F29 is known beyond a changed TMUX_TMPDIR', async () => {
    const handle = await world.start(['sleep', '60'])
    const env = { ...world.temp.env, TMUX_TMPDIR: join(world.temp.home, 'elsewhere') }
    mkdirSync(env.TMUX_TMPDIR, { mode: 0o700 })
    const later = plugin.create({}, { ...contextOf(world.temp), env })
    expect(await later.isAlive(handle)).toBe(true)
  })
})

describe('the send path', () => {
  it.each([
    ['copy mode', ['copy-mode', '-t']],
    ['clock mode', ['clock-mode', '-t']],
  ])('S2.83 M20 reaches an agent whose pane is in %s', async (_what, command) => {
    const tui = await world.startTui()
    tmux(...command, `=${tui.handle.id}:`)
    expect(tmux('display-message', '-p', '-t', `=${tui.handle.id}:`, '#{pane_in_mode}')).toBe('1\n')
    await world.runtime.sendMessage(tui.handle, 'first\nsecond')
    expect(await tui.untilMessages(1)).toEqual(['first\nsecond'])
    expect(tmux('list-buffers')).toBe('')
  })

  it('S2.81 does not crash the server with a message for an agent that has ended', async () => {
    const other = await world.start(['sleep', '60'])
    const ended = await world.start(['true'])
    await untilDead(world.runtime, ended)
    await expect(world.runtime.sendMessage(ended, 'hello')).rejects.toMatchObject({ details: { pasted: false } })
    expect(tmux('list-buffers')).toBe('')
    expect(await world.runtime.isAlive(other)).toBe(true)
  })
})

describe('many sessions', () => {
  it('S2.45 are probed with one call of tmux', async () => {
    const handles = await Promise.all(Array.from({ length: 12 }, () => world.start(['sleep', '60'])))
    const counting = runtimeWith('tmux-counting.sh')
    const answers = await counting.probe!(handles)
    expect([...answers.values()].every((one) => one.state === 'alive')).toBe(true)
    expect(readFileSync(join(world.temp.home, 'tmux-calls'), 'utf8').trim().split('\n')).toHaveLength(1)
  })

  it('S0.3 start from several processes at once, when no server is running yet', async () => {
    const groups = Array.from({ length: 4 }, () => Array.from({ length: 25 }, () => world.launchOf(['sleep', '60'])))
    const children = groups.map((group) => createInChild(world, SUBJECT, group))
    expect(await Promise.all(children.map(untilExit))).toEqual([0, 0, 0, 0])
    const handles = groups.flat().map((launch) => ({ id: launch.name, runtimeName: 'tmux' }))
    const answers = await world.runtime.probe!(handles)
    expect([...answers.values()].filter((one) => one.state === 'alive')).toHaveLength(100)
    tmux('kill-server')
  })

  it('S0.3 start while the last session of the server is being killed', async () => {
    for (let round = 0; round < 12; round++) {
      tmux('-f', '/dev/null', 'new-session', '-d', '-s', 'stranger', 'sleep 60')
      const killed = exec('tmux', ['-L', 'ao', 'kill-session', '-t', '=stranger'], { env: world.temp.env })
      const handle = await world.runtime.create(world.launchOf(['sleep', '60']))
      await killed
      expect(await world.runtime.isAlive(handle)).toBe(true)
      tmux('kill-server')
    }
  })
})

describe('a strange environment', () => {
  it("S0.3 ignores the user's own tmux.conf", async () => {
    writeFileSync(
      join(world.temp.home, '.tmux.conf'),
      'set -g default-command "exit 1"\nset -g base-index 5\nnonsense\n',
    )
    const tui = await world.startTui()
    await world.runtime.sendMessage(tui.handle, 'works')
    expect(await tui.untilMessages(1)).toEqual(['works'])
  })

  it('S0.3 works on a server that somebody started with another configuration', async () => {
    world.temp.env.LEAK = 'leaked'
    tmux('-f', '/dev/null', 'new-session', '-d', '-s', 'stranger', 'sleep 60')
    const handle = await world.start(['sh', '-c', 'echo "<$LEAK>"; exit 5'])
    expect(await untilDead(world.runtime, handle)).toMatchObject({ exitCode: 5 })
    expect(await world.runtime.getOutput(handle)).toContain('<>')
    tmux('kill-session', '-t', '=stranger')
    expect(await world.runtime.getOutput(handle)).toContain('<>')
  })

  it('F29 says unknown when tmux hangs, and ends the agent all the same', async () => {
    const handle = await world.start(['sleep', '60'])
    const hanging = runtimeWith('tmux-hanging.sh')
    const began = performance.now()
    const answer = (await hanging.probe!([handle])).get(handle.id)
    expect(answer).toMatchObject({ state: 'unknown', why: expect.stringContaining('in time') })
    expect(performance.now() - began).toBeLessThan(4_000)
    await expect(hanging.destroy(handle)).rejects.toMatchObject({ code: 'RUNTIME_FAILED' })
    expect(processesOf(handle)).toEqual([])
  })

  it('starts nothing on a server that is suspended, not even when it continues', { timeout: 60_000 }, async () => {
    const handle = await world.start(['sleep', '60'])
    const server = Number(tmux('display-message', '-p', '#{pid}'))
    process.kill(server, 'SIGSTOP')
    try {
      await expect(world.start(['sleep', '60'], { name: 'a3b4c5d6e7f8-late-1' })).rejects.toThrow(
        /late-1 could not be created: .*in time/,
      )
    } finally {
      process.kill(server, 'SIGCONT')
    }
    expect(tmux('list-sessions', '-F', '#{session_name}')).toBe(`${handle.id}\n`)
  })

  it('does not enter a text again, and submits it, when tmux did it but did not finish in time', async () => {
    const tui = await world.startTui()
    await runtimeWith('tmux-late.sh').sendMessage(tui.handle, 'once')
    expect(await tui.untilMessages(1)).toEqual(['once'])
  })

  it('F29 says unknown when the socket was removed under a living agent', async () => {
    const handle = await world.start(['sleep', '60'])
    const server = Number(tmux('display-message', '-p', '#{pid}'))
    rmSync(String(handle.data?.socket))
    expect((await world.runtime.probe!([handle])).get(handle.id)).toMatchObject({ state: 'unknown' })
    await world.runtime.destroy(handle)
    expect(await world.runtime.isAlive(handle)).toBe(false)
    process.kill(server, 'SIGKILL')
  })

  it('leaves no launch script behind', async () => {
    const launch = world.launchOf(['sleep', '60'])
    await world.start(launch.command, launch)
    const file = join(launch.stateDir, `launch-${launch.spawnId}.sh`)
    await waitFor('the script to remove itself', () => !existsSync(file))
  })
})

describe('the plugin', () => {
  it('S0.3 detects tmux, and says what to do without it', async () => {
    const context = contextOf(world.temp)
    expect(await plugin.detect!(context)).toMatchObject({ ok: true, detail: expect.stringMatching(/^tmux \d/) })
    expect(await plugin.detect!({ ...context, env: { PATH: world.temp.home } })).toMatchObject({
      ok: false,
      detail: expect.stringContaining('not installed'),
    })
  })

  it.each([
    ['tmux 3.0', true],
    ['tmux 3.3a', true],
    ['tmux next-3.6', true],
    ['tmux master', true],
    ['tmux openbsd-7.6', true],
    ['tmux 2.9a', false],
    ['tmux 1.8', false],
  ])('takes %s for new enough: %s', (version, expected) => {
    expect(isNewEnough(version)).toBe(expected)
  })

  it('refuses options that it does not know', () => {
    expect(() => plugin.create({ sockett: 'x' }, contextOf(world.temp))).toThrow(/sockett/)
    expect(() => plugin.create({ socket: '../x' }, contextOf(world.temp))).toThrow(/socket/)
  })
})
