// What is recorded of a check, by the id that it is listed under.
import type { Check } from '../../contract/pull.ts'
import { commandsSince } from '../forge-options.ts'
import { type CheckRecord, commandOf } from '../pulls/pull-checks.ts'
import type { LocalForge } from '../types.ts'

const END_BYTES = 32 * 1024

/** The end of what it printed; '' for a check that this forge does not know or that printed nothing. */
export function readCheckLog(forge: LocalForge, check: Pick<Check, 'id'>, bytes = END_BYTES): string {
  const found = find(forge, check)
  return found ? forge.checks.readLogEnd(found.commit, found.command, bytes) : ''
}

/** null: it has not run, or this forge does not know it. */
export function readCheckRecord(forge: LocalForge, check: Pick<Check, 'id'>): CheckRecord | null {
  const found = find(forge, check)
  return found && forge.checks.read(found.commit, found.command)
}

function find({ options }: LocalForge, { id }: Pick<Check, 'id'>) {
  return commandOf(id, (from) => commandsSince(options.ci, from))
}
