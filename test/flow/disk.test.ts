// `ao disk`: who uses how much, and what goes only when it is named.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { type AoHome, createAoHome } from '../support/ao-home.ts'
import { git } from '../support/git-repo.ts'
import { buildAo } from '../support/run-ao.ts'

interface Uses {
  uses: Array<{ what: string; files: number; bytes: number }>
}
interface Removed {
  removed: Array<{ path: string; bytes: number; session: string | null }>
  bytes: number
}

let ao: AoHome

beforeAll(() => buildAo())
beforeEach(async () => {
  ao = await createAoHome()
})
afterEach(async () => {
  expect(await ao.cleanup()).toEqual([])
})

function record(id: string, megabytes: number): string {
  const directory = join(ao.sessionFile(id), '..', '..', 'state', id, 'terminal')
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, '000001.cast'), Buffer.alloc(megabytes * 1024 ** 2))
  return directory
}

const readJson = <T>(...args: string[]) => JSON.parse(ao.ok(['disk', ...args, '--json'])) as T

it('shows the others, too, when an agent made directories that nobody can reach', () => {
  const id = ao.spawn()
  const half = (top: string) => {
    const path = join(top, ...Array.from({ length: 14 }, () => 'd'.repeat(200)))
    mkdirSync(path, { recursive: true })
    return path
  }
  const worktree = ao.worktree(id)
  const inner = join(worktree, 'inner')
  half(inner)
  const outer = half(join(worktree, 'outer'))
  renameSync(inner, join(outer, 'inner'))
  const { uses } = readJson<Uses>()
  expect(uses.find(({ what }) => what === 'workspaces')).toMatchObject({ unread: 1, files: expect.any(Number) })
  expect(ao.ok(['disk'])).toContain('Not counted: 1 that could not be read')
  renameSync(join(outer, 'inner'), inner)
})

it('shows who uses what, without following links', () => {
  const id = ao.spawn()
  const directory = record(id, 3)
  symlinkSync('/usr', join(directory, 'link'))
  const { uses } = readJson<Uses>()
  const of = (what: string) => uses.find((one) => one.what === what)!
  expect(of('recordings').bytes).toBeGreaterThan(3 * 1024 ** 2)
  expect(of('recordings').bytes).toBeLessThan(3.1 * 1024 ** 2)
  expect(of('workspaces').files).toBeGreaterThan(0)
  expect(of('histories')).toMatchObject({ files: 1 })
  expect(uses.map(({ bytes }) => bytes)).toEqual(uses.map(({ bytes }) => bytes).sort((a, b) => b - a))
  expect(ao.ok(['disk'])).toMatch(/recordings +\d+ +3\.\d MB/)
})

it('frees recordings of sessions that were archived long ago, and names them; those of others stay', () => {
  const [old, young, active] = [ao.spawn(), ao.spawn(), ao.spawn()]
  const directories = [old, young, active].map((id) => record(id, 1))
  for (const id of [old, young]) ao.ok(['session', 'kill', id, '--purge'])
  const archive = join(ao.sessionFile(old), '..', 'archive')
  const file = readdirSync(archive).find((name) => name.startsWith(`${old}_`))!
  renameSync(join(archive, file), join(archive, `${old}_2020-01-01T00-00-00-000Z`))
  const found = readJson<Removed>('--free', 'recordings', '--dry-run')
  expect(found).toMatchObject({ removed: [{ session: old }], bytes: 1024 ** 2 })
  expect(directories.every((one) => existsSync(one))).toBe(true)
  expect(ao.ok(['disk', '--free', 'recordings'])).toContain(`removed the recording of ${old}`)
  expect(directories.map((one) => existsSync(one))).toEqual([false, true, true])
  ao.ok(['session', 'restore', old])
})

it('frees copies that are made anew, and refuses what it does not know', () => {
  const vault = join(ao.home, '.ao/vault/0123')
  mkdirSync(vault, { recursive: true })
  writeFileSync(join(vault, 'pack'), 'x'.repeat(1_000))
  expect(readJson<Removed>('--free', 'vaults', '--dry-run')).toMatchObject({ bytes: 1_000 })
  expect(existsSync(vault)).toBe(true)
  expect(readJson<Removed>('--free', 'vaults').removed).toEqual([{ path: vault, bytes: 1_000, session: null }])
  expect(existsSync(vault)).toBe(false)
  expect(ao.run(['disk', '--free', 'histories'])).toMatchObject({ exitCode: 2 })
  expect(ao.run(['disk', '--free', 'recordings', '--older', '-1'])).toMatchObject({ exitCode: 2 })
})

it('keeps archived sessions within the limits, says what went, and never touches those that are there', () => {
  const [old, young, active] = [ao.spawn(), ao.spawn(), ao.spawn()]
  const directories = [old, young, active].map((id) => record(id, 1))
  for (const id of [old, young, active]) writeFileSync(join(ao.worktree(id), 'draft.txt'), id)
  for (const id of [old, young]) ao.ok(['session', 'kill', id, '--purge'])
  const history = join(ao.sessionFile(old), '..', '..', 'history', `${old}.jsonl`)
  const events = readFileSync(history, 'utf8').trim().split('\n')
  const long = Array.from({ length: 2_000 }, (_, n) =>
    JSON.stringify({ ...JSON.parse(events[0]!), seq: events.length + 1 + n, why: 'x'.repeat(600) }),
  )
  writeFileSync(history, `${[...events, ...long].join('\n')}\n`)
  const rescues = () => git(ao.repo, ao.env, 'for-each-ref', '--format=%(refname)', 'refs/ao/rescue')
  expect(rescues().split('\n')).toHaveLength(2)
  // What a branch has, nobody needs twice.
  git(ao.repo, ao.env, 'branch', 'kept', `refs/ao/rescue/${young}/1`)
  const none = readJson<Removed>('--free', 'limits', '--dry-run')
  expect(none.removed).toMatchObject([{ session: young, what: 'rescue' }])
  const config = join(ao.repo, 'agent-orchestrator.yaml')
  writeFileSync(config, `${readFileSync(config, 'utf8')}\ndisk: { recordingsMb: 1, historiesMb: 1, rescueDays: 1 }\n`)
  expect(ao.run(['disk', '--free', 'limits'])).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('trust') })
  ao.ok(['config', 'trust', '--yes'])
  const { removed } = readJson<{ removed: Array<{ what: string; session: string }> }>('--free', 'limits')
  expect(removed.map(({ session, what }) => `${what} of ${session}`)).toEqual([
    `recording of ${old}`,
    `history of ${old}`,
    `rescue of ${young}`,
  ])
  expect(directories.map((one) => existsSync(one))).toEqual([false, true, true])
  expect(statSync(history).size).toBeLessThan(80 * 1024)
  expect(rescues()).toBe(`refs/ao/rescue/${old}/1`)
  expect(ao.ok(['events', old, '--last', '1000'])).toMatch(/its history was dropped .*: its first \d+ events/)
  expect(ao.ok(['events', young])).toContain('because refs/heads/kept has it')
  expect(ao.ok(['doctor', '--verify'])).not.toMatch(/history of .*damaged/)
  expect(readJson<Removed>('--free', 'limits').removed).toEqual([])
  ao.ok(['session', 'restore', old])
  expect(readFileSync(join(ao.worktree(old), 'draft.txt'), 'utf8')).toBe(old)
})

it('drops nothing of an archived session that a newer program wrote, and says so', () => {
  const [newer, old] = [ao.spawn(), ao.spawn()]
  const directories = [newer, old].map((id) => record(id, 1))
  for (const id of [newer, old]) ao.ok(['session', 'kill', id, '--purge'])
  const archive = join(ao.sessionFile(newer), '..', 'archive')
  const file = join(archive, readdirSync(archive).find((name) => name.startsWith(`${newer}_`))!)
  writeFileSync(file, `version=2\n${readFileSync(file, 'utf8')}`)
  const config = join(ao.repo, 'agent-orchestrator.yaml')
  writeFileSync(config, `${readFileSync(config, 'utf8')}\ndisk: { recordingsMb: 0 }\n`)
  ao.ok(['config', 'trust', '--yes'])
  const { stdout, stderr } = ao.run(['disk', '--free', 'limits'])
  expect(stdout).toContain(`the recording of ${old}`)
  expect(`${stdout}${stderr}`).toMatch(/version 2, which a newer program wrote/)
  expect(directories.map((one) => existsSync(one))).toEqual([true, false])
})
