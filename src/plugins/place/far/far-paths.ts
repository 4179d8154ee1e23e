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
  /** The agent's state directory. */
  state: string
  /** First on the agent's PATH. */
  bin: string
  /** Port of the proxy that the agent was started with: the next host has to listen there too. */
  proxy: string
  /** What the agent said in an earlier place, until it is started here. */
  conversation: string
  /** Checkouts for gates. */
  gates: string
  /** Of the host that holds the pipes of an agent without a terminal. */
  agent: string
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
    state: at('state'),
    bin: at('bin'),
    proxy: at('proxy-port'),
    conversation: at('conversation.gz'),
    gates: at('gates'),
    agent: at('agent'),
  }
}

export interface PlaceNote {
  name: string
  spawnId: string
}
