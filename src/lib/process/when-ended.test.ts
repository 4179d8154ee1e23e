import { describe, expect, it } from 'vitest'
import { startProgram } from '../start-program.ts'
import { whenEnded } from './when-ended.ts'

function run(script: string): Promise<{ code: number | null; output: string; tookMs: number }> {
  return new Promise((resolve) => {
    const began = performance.now()
    const child = startProgram('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
    whenEnded(child, (code) => {
      child.stdout.destroy()
      child.stderr.destroy()
      resolve({ code, output, tookMs: performance.now() - began })
    })
    // The program ends while we are busy: its exit and its output are both waiting afterwards.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
  })
}

describe('the end of a program', () => {
  it('comes with all of its output', async () => {
    const runs = await Promise.all(Array.from({ length: 10 }, () => run('seq 1 20000; exit 3')))
    for (const { code, output } of runs) {
      expect(code).toBe(3)
      expect(output.endsWith('\n20000\n')).toBe(true)
    }
  })

  it('does not wait for what it left running with its output open', async () => {
    const { code, output } = await run('sleep 20 & echo "$!"; exit 0')
    process.kill(Number(output), 'SIGKILL')
    expect(code).toBe(0)
  })
})
