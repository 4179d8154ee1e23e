// The real gh through ao's wrapper, against the GitHub of the tests: what an unmodified agent does.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { setupPathWrapperWorkspace } from '../../src/inside/path-wrappers.ts'
import { git } from '../support/git-repo.ts'
import { createTempHome, type TempHome } from '../support/temp-home.ts'
import { createGitRemote } from './git-remote.ts'
import { type Forge, startForge } from './start-forge.ts'

const hasGh = spawnSync('gh', ['--version']).status === 0

describe.skipIf(!hasGh)(`gh through the wrapper${hasGh ? '' : ' (gh is not installed here)'}`, () => {
  let temp: TempHome
  let forge: Forge
  let workspace: string
  let env: NodeJS.ProcessEnv
  let metadata: string

  beforeAll(async () => {
    temp = createTempHome()
    const socket = join(temp.home, 'gh.sock')
    forge = await startForge('github-server.mjs', { args: ['--socket', socket, '--web-url', 'https://github.com'] })
    const remote = createGitRemote(temp.home, temp.env)
    remote.push('feat/issue-1', 'one.txt', '1\n')
    workspace = remote.clone
    // gh knows the repository by its address. Everything is pushed by now: nothing is asked of that address.
    git(workspace, temp.env, 'remote', 'set-url', 'origin', 'https://github.com/acme/app.git')
    const projectDir = join(temp.home, '.agent-orchestrator', 'a3b4c5d6e7f8-app')
    const data = join(projectDir, 'sessions')
    const state = join(projectDir, 'state', 'app-1')
    for (const directory of [data, state]) mkdirSync(directory, { recursive: true, mode: 0o700 })
    metadata = join(data, 'app-1')
    writeFileSync(metadata, 'status=working\nbranch=feat/issue-1\nproject=app\n')
    const bin = await setupPathWrapperWorkspace({ home: temp.home, aoCommand: ['true'] })
    const config = join(temp.home, 'gh')
    mkdirSync(config)
    env = {
      ...temp.env,
      GH_TOKEN: 'token-acme',
      GH_CONFIG_DIR: config,
      GH_PROMPT_DISABLED: '1',
      GH_NO_UPDATE_NOTIFIER: '1',
      AO_SESSION: 'app-1',
      AO_DATA_DIR: data,
      AO_STATE_DIR: state,
      AO_CALLER_TYPE: 'agent',
    }
    execFileSync('gh', ['config', 'set', 'http_unix_socket', socket], { env })
    env.PATH = `${bin}:${temp.env.PATH}`
  }, 60_000)

  afterAll(async () => {
    await forge?.stop()
    expect(await temp.cleanup()).toEqual([])
  })

  it('S1.74 gh pr create writes the pull request and its status into the session', () => {
    const args = ['pr', 'create', '--title', 'One', '--body', 'It is done', '--base', 'main', '--head', 'feat/issue-1']
    const done = spawnSync('gh', args, { cwd: workspace, env, encoding: 'utf8' })
    expect(done.stderr).toBe('')
    expect([done.status, done.stdout.trim()]).toEqual([0, 'https://github.com/acme/app/pull/1'])
    const record = readFileSync(metadata, 'utf8')
    expect(record).toMatch(/^pr=https:\/\/github\.com\/acme\/app\/pull\/1$/m)
    expect(record).toMatch(/^status=pr_open$/m)
  })

  it('leaves every other command to the real gh', () => {
    const done = spawnSync('gh', ['api', 'user', '--jq', '.login'], { cwd: workspace, env, encoding: 'utf8' })
    expect([done.status, done.stdout.trim()]).toEqual([0, 'acme'])
  })
})
