// Two hundred idle sessions: what one tick costs in processes. The runtime is the real tmux, counted by a shim.

import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/config/load-config.ts'
import { runtimeName } from '../../src/contract/ids.ts'
import { factsOfStatus } from '../../src/core/status/derive-status.ts'
import { silentLog } from '../../src/lib/log.ts'
import { createLoopState, type LoopContext } from '../../src/lifecycle/loop/loop-context.ts'
import { tick } from '../../src/lifecycle/tick/tick.ts'
import { watchRuntimes } from '../../src/lifecycle/watch/watch-runtimes.ts'
import { createManagerContext } from '../../src/manager/context.ts'
import { createPluginRegistry } from '../../src/plugins/registry.ts'
import { createRepo } from '../support/git-repo.ts'
import { createTempHome, type TempHome } from '../support/temp-home.ts'
import { waitFor } from '../support/wait-for.ts'
import { unusedManager } from './loop-world.ts'

const SESSIONS = 200
let temp: TempHome

afterEach(async () => {
  expect(await temp.cleanup()).toEqual([])
})

/** Every program that is started by name writes its name down first. */
function countingPath(names: string[]): string {
  const bin = join(temp.home, 'bin')
  mkdirSync(bin)
  for (const name of names) {
    const real = execFileSync('which', [name], { encoding: 'utf8' }).trim()
    writeFileSync(join(bin, name), `#!/bin/sh\necho ${name} >> "${join(temp.home, 'started')}"\nexec ${real} "$@"\n`)
    chmodSync(join(bin, name), 0o755)
  }
  writeFileSync(join(temp.home, 'started'), '')
  return `${bin}:${process.env.PATH}`
}

const started = () => readFileSync(join(temp.home, 'started'), 'utf8').split('\n').filter(Boolean)

describe('a tick over 200 idle sessions', () => {
  it('starts no process per session, with the forge and the screens read too', async () => {
    temp = createTempHome()
    const env = { ...temp.env, PATH: countingPath(['tmux', 'git', 'sh', 'bash']) }
    const repo = createRepo(join(temp.home, 'app'), temp.env)
    writeFileSync(
      join(repo, 'agent-orchestrator.yaml'),
      'defaults: { runtime: tmux }\nprojects: { app: { path: ., agent: demo, scm: local, tracker: local } }\n',
    )
    execFileSync(
      'tmux',
      ['-L', 'ao', '-f', '/dev/null', 'new-session', '-d', '-s', 'keep', 'echo at work; exec sleep 60'],
      {
        env: temp.env,
      },
    )
    const config = loadConfig({ path: join(repo, 'agent-orchestrator.yaml'), env, home: temp.home })
    const registry = createPluginRegistry({ env, home: temp.home, log: silentLog })
    await registry.loadBuiltins(config, { lazy: true })
    const context = createManagerContext({ config, registry, env, home: temp.home, log: silentLog, aoCommand: ['ao'] })
    const store = context.store('app')
    // One program in all of them: each session is alive and has a screen.
    const members = Array.from({ length: SESSIONS }, (_, index) => {
      return ['new-session', '-d', '-t', 'keep', '-s', runtimeName(context.paths.hash, `app-${index + 1}`), ';']
    })
    execFileSync('tmux', ['-L', 'ao', ...members.flat().slice(0, -1)], { env: temp.env })
    for (let number = 1; number <= SESSIONS; number++) {
      const id = `app-${number}`
      await store.reserve(
        id,
        {
          project: 'app',
          ...factsOfStatus('working'),
          agent: number % 2 === 0 ? 'demo' : 'generic',
          branch: `session/${id}`,
          worktree: join(temp.home, 'ws', id),
          createdAt: new Date(),
          runtimeHandle: { id: runtimeName(context.paths.hash, id), runtimeName: 'tmux', data: {} },
        },
        { type: 'session.reserved', project: 'app', agent: 'demo', branch: null, issue: null, role: 'worker' },
      )
      mkdirSync(join(temp.home, 'ws', id, '.ao'), { recursive: true })
    }
    const loop: LoopContext = {
      context,
      manager: unusedManager,
      notify: async () => undefined,
      say: () => undefined,
      health: () => undefined,
      ...createLoopState(context),
    }
    await tick(loop, 'app', { readScreens: true })
    writeFileSync(join(temp.home, 'started'), '')
    const ticks = await tick(loop, 'app', { readScreens: true })
    expect(ticks).toHaveLength(SESSIONS)
    expect(ticks.every(({ session }) => session.status === 'working')).toBe(true)
    const programs = started()
    expect(programs.length, programs.join(' ')).toBeLessThan(10)
    expect(programs).toContain('tmux')

    // With the one client that `ao start` keeps, tmux is not started at all.
    const runtimes = watchRuntimes(loop, () => undefined)
    await runtimes.follow(ticks.map(({ session }) => session))
    await waitFor('a tick without tmux', async () => {
      writeFileSync(join(temp.home, 'started'), '')
      expect(await tick(loop, 'app', { readScreens: true })).toHaveLength(SESSIONS)
      return !started().includes('tmux')
    })
    runtimes.close()
    const clients = () => execFileSync('tmux', ['-L', 'ao', 'list-clients'], { env: temp.env, encoding: 'utf8' })
    await waitFor('its end', () => clients() === '')
  }, 60_000)
})
