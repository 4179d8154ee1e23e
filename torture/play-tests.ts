// Tests of pure functions need no runner: they are called one after the other until one fails, which takes milliseconds.
import { createRequire } from 'node:module'
import { runInThisContext } from 'node:vm'
import { parentPort } from 'node:worker_threads'
import { configureGlobal } from 'fast-check'
import { expect } from 'vitest'

type Body = (...row: unknown[]) => void
type Register = (name: string, body: Body) => void

const require = createRequire(import.meta.url)
// The same cases every time, so that a score can be had again.
configureGlobal({ seed: 1 })
parentPort!.on('message', (code: string) => parentPort!.postMessage(findFailure(code)))

class NeedsRunner extends Error {}
const vi = new Proxy(
  {},
  {
    get() {
      throw new NeedsRunner()
    },
  },
)

/** What comes after something that only the runner has, such as another time zone, is left out. */
function playUntilRunner(test: () => void): void {
  try {
    test()
  } catch (error) {
    if (!(error instanceof NeedsRunner)) throw error
  }
}

function findFailure(code: string): string | null {
  const tests: (() => void)[] = []
  const it = withRows((_name, body) => tests.push(body))
  const describe = withRows((_name, body) => body())
  const load = (name: string) => (name === 'vitest' ? { describe, expect, it, vi } : require(name))
  try {
    runInThisContext(`(function (require, module) {${code}\n})`)(load, { exports: {} })
    for (const test of tests) playUntilRunner(test)
    return null
  } catch (error) {
    return String(error)
  }
}

function withRows(register: Register): Register & { each: (rows: readonly unknown[]) => Register } {
  const each = (rows: readonly unknown[]): Register => {
    return (name, body) => {
      for (const row of rows) register(name, () => body(...(Array.isArray(row) ? row : [row])))
    }
  }
  return Object.assign(register, { each })
}
