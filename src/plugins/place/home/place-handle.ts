// What a handle of a session in a place contains, and how it becomes the handle of a host that listens at home: the line.
import { existsSync } from 'node:fs'
import { AoError } from '../../../contract/errors.ts'
import { shownName } from '../../../contract/ids.ts'
import type { RuntimeHandle } from '../../../contract/session.ts'
import type { ProcessHandle } from '../../runtime-process/process-handle.ts'
import { conversationFile } from '../work/conversation.ts'
import { type LaunchKey, type LineSpec, readLineSpec } from './line-files.ts'

export function makeHandle(runtimeName: string, stateDir: string, spec: LineSpec): RuntimeHandle {
  const { name, spawnId, ref, resumed } = spec
  const continued = resumed === undefined || spec.overProtocol ? {} : { resumed }
  return { id: name, runtimeName, data: { spawnId, stateDir, ref, ...continued } }
}

export interface LaunchHandle extends LaunchKey {
  name: string
}

/** null: the handle was not made by such a runtime. */
export function readHandle(handle: RuntimeHandle): LaunchHandle | null {
  const { spawnId, stateDir } = handle.data ?? {}
  if (typeof spawnId !== 'string' || typeof stateDir !== 'string') return null
  return { name: handle.id, spawnId, stateDir }
}

export function requireHandle(handle: RuntimeHandle): LaunchHandle {
  const launch = readHandle(handle)
  if (launch) return launch
  throw new AoError('RUNTIME_FAILED', `${shownName(handle.id)} has no usable handle of a place`)
}

/** Home has the agent's conversation of this launch, in whichever place it was. */
export function hasConversation(handle: RuntimeHandle): boolean {
  const launch = readHandle(handle)
  return launch !== null && existsSync(conversationFile(launch.stateDir, launch.spawnId))
}

/** From our own file, not from the handle: a record may have been edited. */
export function lineHandle({ name, spawnId, stateDir }: LaunchHandle): ProcessHandle {
  const spec = readLineSpec(stateDir, spawnId)
  return spec === null ? { name, spawnId, stateDir } : { name, spawnId, stateDir, socket: spec.socket }
}
