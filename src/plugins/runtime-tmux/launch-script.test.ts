import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { quoteForShell } from '../../core/text/command-line.ts'
import { launchScript, writeLaunchScript } from './create-session.ts'

let directory: string

beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'aot-launch-')))
})

afterEach(() => {
  rmSync(directory, { recursive: true, force: true })
})

const PRINT =
  'process.stdout.write(JSON.stringify({ env: process.env, args: process.argv.slice(1), cwd: process.cwd() }))'

describe('launchScript', () => {
  it.each(['sh', 'bash'])('gives arguments and environment over exactly, run by %s', (shell) => {
    const environment = {
      PLAIN: 'x',
      ODD: ' \' " $HOME `id` \\ ;\n\ttwo lines é',
      EMPTY: '',
      UID: '777',
      PPID: '1',
      OPTIND: 'not a number',
      IFS: 'abc',
      LINENO: '5',
      SHLVL: '3',
    }
    const args = ['', '-x', "it's", '$(touch canary)', 'two\nlines', '*', 'ends;']
    const file = writeLaunchScript(launchWith({ environment, args }))
    expect(statSync(file).mode & 0o777).toBe(0o700)
    const printed = execFileSync('/usr/bin/env', ['-i', shell, file], { encoding: 'utf8', cwd: '/' })
    const { env, args: given, cwd } = JSON.parse(printed)
    // bash passes the program its own path; dash does not.
    delete env._
    expect(env).toEqual({ ...environment, PWD: directory })
    expect(given).toEqual(args)
    expect(cwd).toBe(directory)
    expect(existsSync(file)).toBe(false)
  })

  it('leaves out what no shell can export, and what the terminal owns', () => {
    const environment = { 'BASH_FUNC_x%%': '() { :; }', 'a-b': '1', TERM: 'dumb', TMUX: 'outer', KEPT: 'yes' }
    const script = launchScript(launchWith({ environment, args: [] }))
    expect(script).not.toMatch(/BASH_FUNC|a-b|TERM|TMUX/)
    expect(script).toContain("export KEPT='yes'")
  })

  it('quotes every text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const safe = text.replaceAll('\0', '').toWellFormed()
        expect(execFileSync('sh', ['-c', `printf %s ${quoteForShell(safe)}`], { encoding: 'utf8' })).toBe(safe)
      }),
      { numRuns: 50 },
    )
  })
})

function launchWith({ environment, args }: { environment: Record<string, string>; args: string[] }) {
  return {
    sessionId: 's-1',
    name: 'hash-s-1',
    workspacePath: directory,
    command: [process.execPath, '-e', PRINT, '--', ...args],
    environment,
    spawnId: 'one',
    stateDir: directory,
  }
}
