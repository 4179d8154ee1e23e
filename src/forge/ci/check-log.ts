// The end of what a check printed.
import type { Check } from '../../slots/scm.ts'
import { checkKey } from '../pulls/pull-checks.ts'
import type { LocalForge } from '../types.ts'

const END_BYTES = 32 * 1024

/** '' for a check that this forge does not know or that printed nothing. */
export function readCheckLog(forge: LocalForge, check: Pick<Check, 'id'>, bytes = END_BYTES): string {
  const [commit = '', key] = check.id.split('/')
  const command = forge.options.ci.find((one) => checkKey(one) === key)
  return command ? forge.checks.readLogEnd(commit, command, bytes) : ''
}
