// Where `ao start` can begin: a URL, a bare repository, a directory without configuration, beside a running loop.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { LEAN_NODE } from '../../src/cli/ao/start/lean-node.ts'
import { hashConfigDir } from '../../src/lib/process/own-home.ts'
import { identify } from '../../src/lib/process/process-identity.ts'
import { createRepo, git } from '../support/git-repo.ts'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'

interface Started {
  running: boolean
  startedNow: boolean
  pid: number
  projects: string[]
  added: string | null
  configPath: string
  error?: { code: string; message: string }
}

let world: AoWorld
/** Directories in which a loop was started. */
let places: string[]

beforeAll(() => buildAo(), 60_000)

beforeEach(() => {
  world = createAoWorld()
  places = []
})

afterEach(async () => {
  for (const cwd of places) await world.ao(['stop'], { cwd })
  expect(await world.temp.cleanup()).toEqual([])
})

async function start(cwd: string, args: string[] = [], env: NodeJS.ProcessEnv = {}): Promise<Started> {
  const started = await world.json<Started>(['start', ...args], { cwd, env })
  if (started.running) places.push(join(started.configPath, '..'))
  return started
}

/** A directory without any configuration above it, and a bare repository to clone. */
function emptyPlace(): { cwd: string; bare: string } {
  const cwd = join(world.temp.home, 'code')
  mkdirSync(cwd)
  const source = createRepo(join(world.temp.home, 'source'), world.temp.env)
  const bare = join(world.temp.home, 'shop.git')
  execFileSync('git', ['clone', '--quiet', '--bare', source, bare], { env: world.temp.env })
  return { cwd, bare }
}

describe('ao start at a new place', () => {
  it.each(['file URL', 'plain path'])(
    'clones a bare repository by its %s, configures it and watches it',
    async (how) => {
      const { cwd, bare } = emptyPlace()
      const first = await start(cwd, [how === 'file URL' ? `file://${bare}` : '../shop.git'])
      expect(first).toMatchObject({ running: true, startedNow: true, projects: ['shop'] })
      expect(first.configPath).toBe(join(cwd, 'shop', 'agent-orchestrator.yaml'))
      expect(git(join(cwd, 'shop'), world.temp.env, 'log', '--oneline')).not.toBe('')
      expect(readdirSync(cwd)).toEqual(['shop'])
      const again = await start(cwd, [how === 'file URL' ? `file://${bare}` : bare])
      expect(again).toMatchObject({ pid: first.pid, startedNow: false, added: null, projects: ['shop'] })
    },
  )

  it('says why a URL cannot be cloned, keeps its token to itself and leaves nothing', async () => {
    const { cwd } = emptyPlace()
    const { code, stderr } = await world.ao(['start', 'http://me:s3cret@127.0.0.1:9/none.git'], { cwd })
    expect(code).toBe(1)
    expect(stderr).toContain('http://127.0.0.1:9/none.git could not be cloned')
    expect(stderr).not.toContain('s3cret')
    expect(readdirSync(cwd)).toEqual([])
  })

  it('does not take another directory of that name for the clone, nor an unfinished clone for a repository', async () => {
    const { cwd, bare } = emptyPlace()
    createRepo(join(cwd, 'shop'), world.temp.env)
    const { code, stderr } = await world.ao(['start', `file://${bare}`], { cwd })
    expect(code).toBe(2)
    expect(stderr).toContain('is not a clone of')
    const elsewhere = join(world.temp.home, 'elsewhere')
    mkdirSync(join(elsewhere, '.shop.cloning-4194304', '.git'), { recursive: true })
    await start(elsewhere, [`file://${bare}`])
    expect(readdirSync(elsewhere)).toEqual(['shop'])
  })

  it('writes a first configuration where there is none, and starts', async () => {
    const repo = createRepo(join(world.temp.home, 'fresh'), world.temp.env)
    const { code, stdout, stderr } = await world.ao(['start'], { cwd: repo })
    places.push(repo)
    expect(code).toBe(0)
    expect(stderr).toContain(`wrote ${join(repo, 'agent-orchestrator.yaml')}: project fresh`)
    expect(stdout).toMatch(/started: process [0-9]+ watches fresh/)
    expect(await start(repo)).toMatchObject({ startedNow: false, projects: ['fresh'] })
  })

  it('does not invent a repository: outside one it says what to do', async () => {
    const { cwd } = emptyPlace()
    const { code, stderr } = await world.ao(['start'], { cwd })
    expect(code).toBe(2)
    expect(stderr).toContain('is not inside a git repository')
    expect(existsSync(join(cwd, 'agent-orchestrator.yaml'))).toBe(false)
    expect((await world.ao(['start'], { cwd, env: { AO_CONFIG_PATH: join(cwd, 'gone.yaml') } })).code).not.toBe(0)
  })
})

describe('ao start beside a running loop', () => {
  const config = () => join(world.repo, 'agent-orchestrator.yaml')

  it('adds projects, even several at once, and reports that they are watched', async () => {
    const { pid } = await start(world.repo)
    if (process.platform === 'linux')
      expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')).toEqual(expect.arrayContaining(LEAN_NODE))
    for (const name of ['one', 'two', 'three']) createRepo(join(world.temp.home, name), world.temp.env)
    const added = await Promise.all(['one', 'two'].map((name) => start(world.repo, [join(world.temp.home, name)])))
    expect(added.map((each) => [each.pid, each.added])).toEqual([
      [pid, 'one'],
      [pid, 'two'],
    ])
    const third = await world.ao(['start', '../three'], { cwd: world.repo })
    expect(third.stdout).toContain(`added three to ${config()}; the running loop watches it`)
    const again = await start(world.repo)
    expect(again).toMatchObject({ pid, startedNow: false, added: null })
    expect([...again.projects].sort()).toEqual(['app', 'one', 'three', 'two'])
    expect(readFileSync(config(), 'utf8')).toContain('agent: demo')
  })

  it('removes the project again and says why when the running loop rejects it', async () => {
    const { pid } = await start(world.repo)
    // Set in the shell that adds the project, but not in the loop's.
    const text = `${readFileSync(config(), 'utf8')}notifiers: { team: { plugin: slack, webhookUrl: '\${TEAM_URL}' } } # ours\n`
    writeFileSync(config(), text)
    createRepo(join(world.temp.home, 'other'), world.temp.env)
    const refused = await world.ao(['start', '../other'], { cwd: world.repo, env: { TEAM_URL: 'http://127.0.0.1:9/' } })
    expect(refused.code).not.toBe(0)
    expect(refused.stderr).toContain(`The running loop (process ${pid}) does not take other`)
    expect(refused.stderr).toContain('TEAM_URL')
    expect(readFileSync(config(), 'utf8')).toBe(text)
    const state = join(world.temp.home, '.ao', 'run', `${hashConfigDir(world.repo)}.json`)
    expect(JSON.parse(readFileSync(state, 'utf8'))).toMatchObject({ pid, projects: ['app'] })
    // A file that is invalid in this shell is no reason to keep the loop running.
    expect(await world.json(['stop'], { cwd: world.repo })).toMatchObject({ stopped: true, pid })
  })

  it.each(['forged', 'missing'])(
    'is stopped by `ao stop` although its state is %s, and nobody else is',
    async (how) => {
      const { pid } = await start(world.repo)
      const file = join(world.temp.home, '.ao', 'run', `${hashConfigDir(world.repo)}.json`)
      if (how === 'missing') rmSync(file)
      else {
        const state = JSON.parse(readFileSync(file, 'utf8'))
        writeFileSync(file, JSON.stringify({ ...state, pid: 1, process: state.process.replace(/^\d+/, '1') }))
      }
      const { checks } = await world.json<{ checks: Array<{ name: string; detail: string }> }>(['doctor'])
      expect(checks.find(({ name }) => name === 'loop')?.detail).toContain(`process ${pid} is running, but the file`)
      expect(await world.json(['stop'])).toMatchObject({ stopped: true, pid })
      expect(identify(pid)).toBeNull()
      expect(await world.json(['stop'])).toMatchObject({ stopped: false })
    },
  )

  it('in the foreground it is refused, and changes nothing', async () => {
    await start(world.repo)
    const text = readFileSync(config(), 'utf8')
    createRepo(join(world.temp.home, 'other'), world.temp.env)
    const refused = await world.ao(['start', '../other', '--foreground'], { cwd: world.repo })
    expect(refused.code).toBe(5)
    expect(readFileSync(config(), 'utf8')).toBe(text)
  })
})
