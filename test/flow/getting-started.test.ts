// docs/getting-started.md, run as a reader runs it: every line of every block, in order, in one home.
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { createRepo } from '../support/git-repo.ts'
import { AO, buildAo } from '../support/run-ao.ts'
import { createTempHome, type TempHome } from '../support/temp-home.ts'
import { waitFor } from '../support/wait-for.ts'

const PAGE = join(import.meta.dirname, '..', '..', 'docs', 'getting-started.md')

let temp: TempHome
let cwd: string
beforeAll(buildAo)
beforeEach(() => {
  temp = createTempHome()
  const bin = join(temp.home, 'reader-bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'ao'), `#!/bin/sh\nexec '${process.execPath}' '${AO}' "$@"\n`, { mode: 0o755 })
  // `ao dashboard` opens nothing here.
  writeFileSync(join(bin, 'xdg-open'), '#!/bin/sh\n', { mode: 0o755 })
  temp.env.PATH = `${bin}:${temp.env.PATH}`
  mkdirSync(join(temp.home, 'code'))
  createRepo(join(temp.home, 'code', 'app'), temp.env)
  cwd = temp.home
})
afterEach(async () => {
  await run('ao stop --sessions')
  expect(await temp.cleanup()).toEqual([])
})

/** Packing and installing is what `npm run test:first-hour` does. */
const NOT_HERE = /^(?:npm (?:pack|install)|ao version)\b/

/** What a person sees before they type the next line. */
const SEEN_BEFORE: Record<string, () => Promise<boolean>> = {
  'ao issue new "Log in with a key" --body "As a user …"': async () => (await run('ao pr ls')).stdout.includes('#1'),
  'ao pr diff 3': async () => (await run('ao pr ls')).stdout.includes('#3'),
  'ao pr review 3 --approve': async () => (await run('ao pr view 3')).stdout.includes('review: pending'),
}

/** Mentioned in a sentence: what is run for it here. null: a block has it with its arguments. */
const INSTEAD = new Map<string, string | null>([
  ['ao spawn', null],
  // 1: something of this machine is broken, such as a port that another test has.
  ['ao doctor', 'ao doctor; [ $? -le 1 ]'],
  // It stays until it is ended.
  ['ao status --watch', 'timeout 5 ao status --watch; [ $? -eq 124 ]'],
])

/** Lines that cannot succeed without a person at a terminal, and what they say then. */
const REFUSED: Record<string, RegExp> = { 'ao session attach app-4': /Attaching needs a terminal/ }

it('every command of the page works, in order, with the numbers that it names', async () => {
  const lines = commandLines(readFileSync(PAGE, 'utf8')).filter((line) => !NOT_HERE.test(line))
  expect(lines.length).toBeGreaterThan(20)
  for (const line of Object.keys({ ...SEEN_BEFORE, ...REFUSED })) expect(lines).toContain(line)
  for (const line of lines) {
    const seen = SEEN_BEFORE[line]
    if (seen) await waitFor(`what is seen before: ${line}`, seen, 60_000)
    const directory = /^cd ~\/(\S+)$/.exec(line)?.[1]
    if (directory !== undefined) {
      cwd = join(temp.home, directory)
      continue
    }
    const { code, stdout, stderr } = await run(line)
    const expected = REFUSED[line]
    if (expected) expect(stderr).toMatch(expected)
    else expect([line, code, code === 0 ? '' : stdout + stderr]).toEqual([line, 0, ''])
  }
  // What it mentions between the blocks.
  const page = readFileSync(PAGE, 'utf8')
  const mentioned = new Set([...page.matchAll(/`(ao [a-z][^`]*)`/g)].map(([, line]) => line!))
  const further = [...mentioned].filter((line) => !lines.includes(line) && !INSTEAD.has(line))
  expect([...INSTEAD.keys()].filter((line) => !mentioned.has(line))).toEqual([])
  for (const line of [...further, ...[...INSTEAD.values()].filter((line) => line !== null)]) {
    const { code, stdout, stderr } = await run(line)
    expect([line, code, code === 0 ? '' : stdout + stderr]).toEqual([line, 0, ''])
  }
  // What the page says about it.
  expect((await run('git -C . log --oneline main')).stdout).toContain('Log in with a key')
})

function commandLines(page: string): string[] {
  return [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
    .flatMap(([, block]) => block!.split('\n'))
    .map((line) => line.replace(/\s{2,}#.*$/, '').trim())
    .filter((line) => line !== '')
}

function run(line: string): Promise<{ code: number | null; stdout: string; stderr: string }> {
  expect(temp.home).not.toBe(homedir())
  return new Promise((resolve, reject) => {
    const child = spawn('sh', ['-c', line], { cwd, env: temp.env, stdio: ['ignore', 'pipe', 'pipe'] })
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', (chunk) => {
      stdout += chunk
    })
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })
}
