// What a run of the radar of meaning costs whoever works in the foreground: git and node started while it computes on every core,
// against the same without it.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCheck } from '../src/landing/checks/run-check.ts'
import { median, report } from './measure.mjs'

const ROUNDS = 8
const TIMES = 10
const AIM = 1.05
const LONGEST_SECONDS = 120

export async function run() {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'aob-')))
  const env = { HOME: directory, PATH: process.env.PATH, GIT_CONFIG_NOSYSTEM: '1' }
  // They end by themselves, in case somebody ends the bench.
  const burner = `timeout ${LONGEST_SECONDS} sh -c 'while :; do :; done' &`
  const burn = Array.from({ length: availableParallelism() }, () => burner).join(' ')
  const command = { name: 'burn', run: `${burn} wait`, timeoutMs: 600_000 }
  const work = () => {
    const started = performance.now()
    execFileSync('git', ['--version'], { env })
    execFileSync(process.execPath, ['-e', 'let x = 0; for (let i = 0; i < 2e7; i++) x += i'], { env })
    return performance.now() - started
  }
  try {
    console.log('meaning: the foreground while a union is checked')
    const times = { idle: [], beside: [] }
    for (let round = 0; round < ROUNDS; round++) {
      for (let time = 0; time < TIMES; time++) times.idle.push(work())
      const stop = new AbortController()
      const how = {
        directory,
        env,
        rule: {},
        marker: `bench-${round}`,
        logFile: join(directory, 'log'),
        inBackground: true,
      }
      const done = runCheck({ command, ...how, signal: stop.signal })
      await new Promise((resolve) => setTimeout(resolve, 300))
      for (let time = 0; time < TIMES; time++) times.beside.push(work())
      stop.abort()
      await done
    }
    report('git and node beside a run', median(times.beside), median(times.idle), AIM)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
