// Runs workspace operations in processes of their own.
import { spawn } from 'node:child_process'
import { testProgram } from '../support/test-program.ts'
import type { Kind, World } from './workspace-world.ts'

const PROGRAM = testProgram('run-operation')

export type Operation = 'create' | 'destroy' | 'snapshot' | 'restore' | 'applyRescue' | 'keepRestored' | 'repair'

export interface OperationResult {
  sessionId: string
  ok: boolean
  error?: string
}

export interface OperationEnd {
  signal: NodeJS.Signals | null
  results: OperationResult[]
}

export function runOperation(
  world: World,
  kind: Kind,
  job: { operation: Operation; sessionIds: string[]; failpoint?: string },
): Promise<OperationEnd> {
  const { operation, sessionIds, failpoint } = job
  const input = JSON.stringify({ kind, home: world.temp.home, operation, sessionIds, project: world.project })
  const env = { ...world.env, ...(failpoint ? { AO_FAILPOINT: failpoint } : {}) }
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [PROGRAM, input], { env, stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
    })
    child.on('error', reject)
    child.on('close', (_code, signal) => {
      const lines = output.split('\n').filter((line) => line !== '')
      resolve({ signal, results: lines.map((line) => JSON.parse(line) as OperationResult) })
    })
  })
}
