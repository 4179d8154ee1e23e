// The command itself: version, help, errors, exit codes, pipes. Through the built file, without sessions.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AO, type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'

let world: AoWorld
beforeAll(() => {
  buildAo()
  world = createAoWorld()
})
afterAll(async () => {
  expect(await world.temp.cleanup()).toEqual([])
})

describe('ao', () => {
  it.each(['--version', '-V', '-v'])('prints its version for %s', async (flag) => {
    const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'))
    expect(await world.runAlone([flag])).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' })
  })

  it('lists its commands, and explains each of them', async () => {
    const overview = await world.runAlone(['--help'])
    expect(overview.code).toBe(0)
    const names = [...overview.stdout.matchAll(/^ {2}([a-z-]+(?: [a-z-]+)?) {2,}[A-Z]/gm)].map(([, name]) => name!)
    expect(names).toContain('session claim-pr')
    expect(names.length).toBeGreaterThan(20)
    const helps = await Promise.all(names.slice(0, 6).map((name) => world.runAlone([...name.split(' '), '--help'])))
    for (const [index, help] of helps.entries()) {
      expect(help).toMatchObject({ code: 0, stderr: '' })
      expect(help.stdout).toContain(`Usage: ao ${names[index]}`)
    }
  })

  it.each([
    [['frobnicate'], 2, 'error: Unknown command: frobnicate\nhint: See the options with: ao --help\n'],
    [['sesion', 'ls'], 2, 'error: Unknown command: sesion\nhint: Did you mean: ao session\n'],
    [['session', 'ls', '--al'], 2, 'error: Unknown option: --al\nhint: Did you mean --all?\n'],
    [
      ['session', 'show'],
      2,
      'error: The argument <session> is missing: Session id\nhint: See: ao session show --help\n',
    ],
    [['config', 'get', 'port'], 2, 'error: Unknown command: config get\nhint: Did you mean: ao config show\n'],
    [['spawn', '--agent', 'claud', '--prompt', 'x'], 2, 'Did you mean claude-code?'],
    [['spawn', '--base', 'nosuch', '--prompt', 'x'], 1, 'hint: Name one of them with --base'],
    [['spawn', '--prompt', 'x', '--file', '/nope.png'], 2, 'error: There is no file /nope.png\n'],
    [['config', 'trust', '--ref', 'nope'], 2, 'error: There is no branch or commit nope\n'],
    [['session', 'import', '/no/such/file'], 1, 'hint: Check that path'],
    [['session', 'show', 'app-9'], 4, 'error: There is no session app-9\n'],
    [['session', 'kill', '../app-1'], 4, 'error: There is no session ../app-1\n'],
    [['session', 'ls', '-p', 'nope'], 4, 'error: There is no project nope; the configuration has: app\n'],
    [['spawn', '-p', 'ap'], 4, 'There is no project ap'],
    [['spawn', '--agent', 'nobody', '--prompt', 'x'], 2, 'error: '],
    [['send', 'app-9', 'hi'], 4, 'error: There is no session app-9\n'],
    [['session', 'restore', 'app-9'], 4, 'error: There is no session app-9\n'],
  ])('ends %j with exit code %i', async (argv, code, stderr) => {
    const result = await world.runAlone(argv)
    expect({ code: result.code, stdout: result.stdout }).toEqual({ code, stdout: '' })
    expect(result.stderr).toContain(stderr)
  })

  it('prints an error as JSON on stdout with --json, with the same exit code', async () => {
    const { code, stdout, stderr } = await world.runAlone(['session', 'show', 'app-9', '--json'])
    expect({ code, stderr }).toEqual({ code: 4, stderr: '' })
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code: 'SESSION_NOT_FOUND', message: 'There is no session app-9', details: { sessionId: 'app-9' } },
    })
  })

  it('says that git is missing, and not that there is no repository', async () => {
    const { code, stderr } = await world.runAlone(['init', '--force'], { env: { PATH: world.temp.home } })
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('git is not installed') })
  })

  it('says how to begin where there is no configuration', async () => {
    const { code, stderr } = await world.runAlone(['session', 'ls'], { cwd: world.temp.home })
    expect(code).toBe(2)
    expect(stderr).toMatch(/^error: There is no agent-orchestrator\.yaml .*\nhint: Create one with: ao init\n$/)
  })

  it('names line, key and the nearest word for a mistake in the configuration', async () => {
    const file = join(world.temp.home, 'wrong.yaml')
    writeFileSync(file, 'projects:\n  app:\n    path: .\n    agnet: demo\n')
    const { code, stderr } = await world.runAlone(['config', 'validate', file])
    expect(code).toBe(2)
    expect(stderr).toContain('wrong.yaml:4:5 projects.app.agnet: unknown key; did you mean agent?')
    const again = await world.runAlone(['session', 'ls', '--config', file])
    expect(again.code).toBe(2)
    expect(again.stderr).toContain('projects.app.agnet')
  })

  it('S0.85 shows the threshold of inactivity, 300000 by default', async () => {
    expect((await world.json(['config', 'show'])).readyThresholdMs).toBe(300_000)
    const file = join(world.temp.home, 'threshold.yaml')
    writeFileSync(file, 'readyThresholdMs: 1000\nprojects:\n  app:\n    path: app\n')
    expect((await world.json(['config', 'show', '--config', file])).readyThresholdMs).toBe(1000)
  })

  it('prints the schema of the configuration', async () => {
    const { stdout } = await world.runAlone(['config', 'schema'])
    expect(JSON.parse(stdout).properties).toHaveProperty('projects')
  })

  it('is quiet when its reader leaves', async () => {
    const script = `"${process.execPath}" "${AO}" --help | head -1; echo "\${PIPESTATUS[0]}"`
    const out = execFileSync('bash', ['-c', script], { cwd: world.repo, env: world.temp.env, encoding: 'utf8' })
    expect(out).toBe('ao runs many coding agents in parallel, each in its own git worktree.\n0\n')
  })

  it
    .skipIf(process.platform !== 'linux')
    .each([['status'], ['status --json'], ['--help'], ['config schema'], ['issue new "Kept all the same"']])(
    '%s ends with an error when its output cannot be written, after it has done its work',
    async (line) => {
      const run = (rest: string) =>
        spawnSync('sh', ['-c', `"${process.execPath}" "${AO}" ${line} ${rest}`], {
          cwd: world.repo,
          env: world.temp.env,
          encoding: 'utf8',
        })
      expect(run('>/dev/full')).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(/^error: The output could not be written: ENOSPC.*\nhint: [^\n]*\n$/m),
      })
      // Nobody is left to hear of it.
      expect(run('>/dev/full 2>/dev/full').status).toBe(1)
      if (!line.startsWith('issue')) return
      const { issues } = await world.json<{ issues: Array<{ title: string }> }>(['issue', 'ls'])
      expect(issues.map(({ title }) => title)).toEqual(['Kept all the same', 'Kept all the same'])
    },
  )

  it('colours only on request, without a terminal', async () => {
    expect((await world.runAlone(['--help'])).stdout).not.toContain('\u001b[')
    expect((await world.runAlone(['--help'], { env: { FORCE_COLOR: '1' } })).stdout).toContain('\u001b[1mUsage:')
  })

  it('survives a HOME that cannot be written, for what only reads', async () => {
    const locked = join(world.temp.home, 'locked')
    mkdirSync(locked, { mode: 0o555 })
    const env = { XDG_CACHE_HOME: join(locked, 'cache'), AO_DATA_DIR: join(locked, 'data') }
    expect(await world.runAlone(['session', 'ls'], { env })).toMatchObject({ code: 0 })
  })

  it('serves MCP on its streams until the client leaves', async () => {
    const child = spawn(process.execPath, [AO, 'mcp'], { cwd: world.repo, env: world.temp.env })
    const request = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    }
    child.stdin.write(`${JSON.stringify(request)}\n`)
    const answer = await new Promise<string>((resolve) => child.stdout.once('data', (chunk) => resolve(String(chunk))))
    expect(JSON.parse(answer).result.serverInfo.name).toBe('ao')
    const ended = new Promise((resolve) => child.once('close', resolve))
    child.stdin.end()
    expect(await ended).toBe(0)
  })
})

describe('completion', () => {
  /** What bash offers for this line: its own completion machinery, with `ao` on PATH. */
  function offered(parts: string[], cwd = world.repo): string[] {
    const bin = join(world.temp.home, 'bin')
    mkdirSync(bin, { recursive: true })
    writeFileSync(join(bin, 'ao'), `#!/bin/sh\nexec '${process.execPath}' '${AO}' "$@"\n`, { mode: 0o755 })
    const list = parts.map((word) => `'${word}'`).join(' ')
    const script = `source <(ao completion bash); COMP_WORDS=(ao ${list}); COMP_CWORD=${parts.length}; _ao_complete; printf '%s\\n' "\${COMPREPLY[@]}"`
    const env = { ...world.temp.env, PATH: `${bin}:${world.temp.env.PATH}` }
    return execFileSync('bash', ['-c', script], { cwd, env, encoding: 'utf8' }).split('\n').filter(Boolean)
  }

  it('offers commands, subcommands, options, projects and agents in bash', () => {
    expect(offered(['ses'])).toEqual(['session'])
    expect(offered(['session', 'c'])).toEqual(['cleanup', 'claim-pr'])
    expect(offered(['session', 'ls', '--'])).toEqual([
      '--project',
      '--all',
      '--folder',
      '--quiet',
      '--json',
      '--jq',
      '--help',
    ])
    expect(offered(['spawn', '-p', ''])).toEqual(['app'])
    expect(offered(['spawn', '--agent', 'de'])).toEqual(['demo'])
    expect(offered(['completion', ''])).toEqual(['bash', 'zsh', 'fish', 'pwsh'])
  })

  it('offers files where a file is asked for', () => {
    expect(offered(['config', 'validate', 'agent-o'])).toEqual(['agent-orchestrator.yaml'])
  })

  it('offers nothing and says nothing where there is no configuration', () => {
    expect(offered(['spawn', '-p', ''], world.temp.home)).toEqual([])
  })

  it.each(['zsh', 'fish'])('has a script for %s that asks ao for the words', async (shell) => {
    const { code, stdout } = await world.runAlone(['completion', shell])
    expect(code).toBe(0)
    expect(stdout).toContain('ao __complete --')
  })

  it('refuses another shell', async () => {
    expect(await world.runAlone(['completion', 'tcsh'])).toMatchObject({ code: 2, stdout: '' })
  })
})
