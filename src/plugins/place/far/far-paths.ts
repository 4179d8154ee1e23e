// Where a host keeps things in its place. All of it is below one directory of the session, which only its user can enter.
import { join } from 'node:path'

export interface FarPaths {
  directory: string
  socket: string
  log: string
  /** What the place is for, written before the host starts. */
  place: string
  /** The agent's checkout. */
  workspace: string
  /** A bare repository that plays the remote: pushes and fetches are passed on to home. */
  origin: string
  /** Of all sessions here: commits of repositories. */
  caches: string
  /** The agent's state directory. */
  state: string
  /** First on the agent's PATH. */
  bin: string
  /** What the agent said in an earlier place, until it is started here. */
  conversation: string
  /** Checkouts for gates. */
  gates: string
  /** What an agent without a terminal wrote, until home has it. */
  output: string
}

export function farPaths(directory: string): FarPaths {
  const at = (name: string) => join(directory, name)
  return {
    directory,
    socket: at('sock'),
    log: at('facts.jsonl'),
    place: at('place.json'),
    workspace: at('work'),
    origin: at('origin.git'),
    caches: at('../../cache'),
    state: at('state'),
    bin: at('bin'),
    conversation: at('conversation.gz'),
    gates: at('gates'),
    output: at('output'),
  }
}

export interface PlaceNote {
  name: string
  spawnId: string
}
