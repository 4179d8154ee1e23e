// What killed commands leave that no session's record mentions: `ao doctor` lists it and `--fix` removes it.
import { spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type AoHome, createAoHome } from '../support/ao-home.ts'
import { waitFor } from '../support/wait-for.ts'

let ao: AoHome
beforeEach(async () => {
  ao = await createAoHome()
})
afterEach(async () => {
  expect(await ao.cleanup()).toEqual([])
})

/** No process has this pid, and none of this boot began then. */
const DEAD = '4194304:1:00000000'

const STARTED = { seq: 1, at: '2026-01-01T00:00:00.000Z', sessionId: 'app-81', type: 'runtime.started', launch: 1 }

function warnings(...flags: string[]): string[] {
  const { checks } = JSON.parse(ao.run(['doctor', '--json', ...flags]).stdout) as {
    checks: Array<Record<string, string>>
  }
  return checks.filter(({ level, name }) => level === 'warn' && name === 'left behind').map(({ detail }) => detail!)
}

it('locks, scratch and half-written files and stray state directories', () => {
  const id = ao.spawn()
  const project = join(ao.sessionFile(id), '..', '..')
  const locks = join(project, 'sessions', '.locks')
  symlinkSync(DEAD, join(locks, 'app-77'))
  symlinkSync(DEAD, join(locks, 'app-78.operation'))
  // Of a session that exists, too: the next command would take them over, but there may be none.
  symlinkSync(DEAD, join(locks, `${id}.send`))
  symlinkSync(DEAD, join(locks, `app-82.break.${DEAD}`))
  const files = [
    join(locks, `app-79.scratch.${DEAD}`),
    join(locks, `${id}.send.turn.001794869597713.${DEAD}`),
    join(project, '..origin.4194304.0a1b2c3d.tmp'),
    join(project, 'state', id, '.demo-launch.json.4194304.0a1b2c3d.tmp'),
    join(ao.home, '.worktrees', 'app', `..${id}.json.4194304.0a1b2c3d.tmp`),
  ]
  for (const file of files) writeFileSync(file, 'half')
  mkdirSync(join(project, 'state', 'app-80'))
  // Its record is not where it should be, but an agent has run: these are not ours to delete.
  mkdirSync(join(project, 'state', 'app-81'))
  writeFileSync(join(project, 'history', 'app-81.jsonl'), `${JSON.stringify(STARTED)}\n`)
  expect(warnings()).toHaveLength(10)
  expect(warnings('--fix')).toEqual([])
  expect(warnings()).toEqual([])
  for (const file of files) expect(existsSync(file)).toBe(false)
  expect(readdirSync(locks)).toEqual([])
  expect(ao.stateDirs().sort()).toEqual([id, 'app-81'])
})

it('workspaces that were being made or removed when their session was forgotten', () => {
  const id = ao.spawn()
  ao.run(['session', 'kill', id, '--purge'], { AO_FAILPOINT: 'workspace.remove.moved' })
  rmSync(ao.sessionFile(id))
  expect(warnings()).toContainEqual(expect.stringContaining('whose removal was interrupted'))
  expect(warnings('--fix')).toEqual([])
  expect(readdirSync(join(ao.home, '.worktrees', '.ao-trash'))).toEqual([])

  ao.run(['spawn', '--prompt', 'x'], { AO_FAILPOINT: 'worktree.create.added' })
  rmSync(ao.sessionFile('app-2'))
  expect(warnings()).toContainEqual(expect.stringContaining('whose creation was interrupted'))
  expect(warnings('--fix')).toEqual([])
  expect(ao.worktrees()).toEqual([])
})

it('names a directory that is no longer a workspace, and leaves it alone', () => {
  const id = ao.spawn()
  ao.ok(['session', 'kill', id])
  rmSync(join(ao.worktree(id), '.git'))
  expect(warnings('--fix')).toEqual([`${ao.worktree(id)}: a directory that is no longer a workspace`])
  expect(existsSync(join(ao.worktree(id), 'README.md'))).toBe(true)
})

it('a postCreate command of a killed spawn is ended by the next command', async () => {
  ao = await withPostCreate(ao)
  const child = spawn(process.execPath, [ao.program, 'spawn', '--prompt', 'x'], {
    cwd: ao.repo,
    env: ao.env,
    stdio: 'ignore',
  })
  await waitFor('postCreate to run', () => existsSync(join(ao.worktree('app-1'), 'reached')))
  process.kill(child.pid!, 'SIGKILL')
  await waitFor('its end', () => child.signalCode !== null)
  await waitFor('both of its commands', () => sleepers(ao.worktree('app-1')).length === 2)
  ao.ok(['session', 'cleanup'])
  expect(sleepers(ao.worktree('app-1'))).toEqual([])
  expect(ao.worktrees()).toEqual([])
})

async function withPostCreate(before: AoHome): Promise<AoHome> {
  await before.cleanup()
  const agent = 'agent: generic\nagentConfig: { command: [sh, -c, exec cat, agent, "{promptFile}"] }'
  return createAoHome({ projectYaml: `${agent}\npostCreate: ['setsid sleep 600 & touch reached; sleep 600']` })
}

function sleepers(directory: string): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      const works = readlinkSync(`/proc/${pid}/cwd`)
      const isHere = works === directory || works.startsWith(`${directory} `) || works.includes('.ao-trash')
      return isHere && readFileSync(`/proc/${pid}/comm`, 'utf8') === 'sleep\n' ? [pid] : []
    } catch {
      return []
    }
  })
}
