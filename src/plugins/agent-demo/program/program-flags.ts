// The command line and environment of the demo agent's programs.
import { parseArgs } from 'node:util'
import type { Role } from '../../../contract/record-values.ts'
import { readPlainText } from '../../../lib/plain-file.ts'

const ROLES: readonly Role[] = ['worker', 'orchestrator', 'reviewer']

export function readFlags() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      'prompt-file': { type: 'string' },
      resume: { type: 'string' },
      permissions: { type: 'string' },
      issue: { type: 'string' },
      role: { type: 'string' },
    },
  })
  const file = values['prompt-file']
  return {
    prompt: file === undefined ? positionals[0] : readPlainText(file),
    resume: values.resume,
    permissions: values.permissions,
    issue: values.issue,
    role: ROLES.find((role) => role === values.role) ?? 'worker',
  }
}

/** Everything runs this many times faster. */
export function speedFactor(text: string | undefined): number {
  const speed = Number(text ?? 1)
  return Number.isFinite(speed) && speed > 0 ? speed : 1
}
