// Somewhere else that agents can run. An engine (Docker, ssh, …) only starts a place for one session, runs programs in it
// with their streams as a channel, says whether it is there, and gives it back. Everything above is the same for all.
import type { Readable, Writable } from 'node:stream'

/** A program in a place: its stdin and stdout. */
export interface Channel {
  stdin: Writable
  stdout: Readable
  /** Never rejects. `stderr`: the end of it. */
  ended: Promise<{ exitCode: number | null; stderr: string }>
  close(): void
}

/**
 * `gone` is a proof: nothing of the session is running there. `paused`: its disk is kept, and `resume` starts it again.
 * `ending`: the engine is ending it right now, and why.
 */
export type PlaceState =
  | { state: 'up'; ending?: string | undefined }
  | { state: 'gone'; why: string; paused?: true | undefined }
  | { state: 'unknown'; why: string }

export interface StartedPlace {
  /** How the engine finds it again: a container, a machine, a job. */
  ref: string
  name: string
  spawnId: string
}

export interface PlaceEngine {
  /** Starts a place for this launch and returns its `ref`. When it throws, nothing is left there. */
  start(launch: { name: string; spawnId: string }): Promise<string>
  /** Runs a program there. argv only; no secret is ever part of it. Throws when the engine cannot be reached. */
  channel(ref: string, command: readonly string[]): Promise<Channel>
  /**
   * Where the host's files are when all places of the engine share them. The engine itself writes there, from a tar that home made:
   * a program of one place must not write what another one runs. Sessions only read. `isThere`: somebody else was faster.
   */
  readonly shared?:
    | { directory: string; put(tar: () => Buffer, isThere: () => Promise<boolean>): Promise<void> }
    | undefined
  /** Where sessions live in this place. Absent: beside the host's files. */
  sessions?(ref: string): string
  /** argv before a program that has to outlive its channel. Absent: a background process of the channel does. */
  outlasting?(ref: string): readonly string[]
  probe(ref: string): Promise<PlaceState>
  /** Everything that ao started with this engine and that still exists. Throws when that is unknown. */
  list(): Promise<StartedPlace[]>
  /** Gives it back, with everything that runs in it, also a paused one. Idempotent. */
  stop(ref: string): Promise<void>
  /**
   * Ends everything that runs in it, and keeps its disk. Idempotent. `dryRun`: changes nothing, and throws what would go wrong.
   * Absent: the engine cannot do that.
   */
  pause?(ref: string, how?: { dryRun?: boolean }): Promise<void>
  /** Starts a paused one for this launch and returns its new `ref`; null: it no longer exists. When it throws, it is paused. */
  resume?(ref: string, launch: { name: string; spawnId: string }): Promise<string | null>
  /** One line about it for people. Throws an AoError that says what is wrong. */
  check(): Promise<string>
}
