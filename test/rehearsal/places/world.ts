// Machines, the network to them, and what goes wrong with both. Nothing here decides for ao.
import type { Random } from '../../../src/rehearsal/random.ts'
import type { Agenda } from './agenda.ts'

export interface Machine {
  id: number
  /** The engine can prove that a place is gone (containers, pods, jobs); a machine behind ssh only stops answering. */
  canProveGone: boolean
  state: 'up' | 'down' | 'lost'
  isCut: boolean
  isFull: boolean
  /** One way, in milliseconds. */
  latency: number
  /** Its clock minus home's. */
  skew: number
  /** null: it can be reached. */
  unreachableSince: number | null
  /** Until when anything about it may be uncertain. */
  disturbedUntil: number
  connections: Set<Connection>
  /** Sessions on it. */
  residents: Set<Resident>
}

export interface Resident {
  /** The machine lost power: every process there is gone. */
  onPowerLoss(): void
  onHostKilled(): void
}

export interface World {
  agenda: Agenda
  random: Random
  machines: Machine[]
  home: { isFull: boolean; disturbedUntil: number }
  counts: Record<string, number>
  broken: string[]
}

export function count(world: World, what: string, by = 1): void {
  world.counts[what] = (world.counts[what] ?? 0) + by
}

/** How long after a disturbance everything has to be as if there had been none: noticing it, trying again, and a slow save. */
export const SETTLE_MS = 120_000

export function disturb(world: World, machine: Machine | null, ms = 0): void {
  const until = world.agenda.now() + ms + SETTLE_MS
  const whom = machine ?? world.home
  whom.disturbedUntil = Math.max(whom.disturbedUntil, until)
}

export function createMachine(random: Random, id: number): Machine {
  return {
    id,
    canProveGone: random.chance(0.5),
    state: 'up',
    isCut: false,
    isFull: false,
    latency: random.chance(0.1) ? 500 + random.below(2_500) : 1 + random.below(80),
    skew: random.chance(0.5) ? random.below(1_200_000) - 600_000 : random.below(2_000) - 1_000,
    unreachableSince: null,
    disturbedUntil: 0,
    connections: new Set(),
    residents: new Set(),
  }
}

/** Bytes in order in both directions, until somebody closes it or notices that nothing arrives. */
export interface Connection {
  machine: Machine
  isOpen: boolean
  send(act: () => void): void
  close(): void
}

/** HTTP/2 pings every 5 s, and the line is given up 15 s after the last answer. */
const NOTICED_AFTER_MS = 15_000

export function openConnection(world: World, machine: Machine, onLost: () => void): Connection {
  const { agenda, random } = world
  let lastArrival = 0
  const held: Array<() => void> = []
  const connection: Connection = {
    machine,
    isOpen: true,
    send(act) {
      const arrival = Math.max(agenda.now() + machine.latency + random.below(20), lastArrival)
      lastArrival = arrival
      agenda.at(arrival, () => {
        if (!connection.isOpen) return
        if (!isReachable(machine)) held.push(act)
        else if (held.length > 0) held.push(act)
        else act()
      })
    },
    close() {
      connection.isOpen = false
      machine.connections.delete(connection)
    },
  }
  machine.connections.add(connection)
  Object.assign(connection, {
    /** The network is back before anybody noticed: TCP delivers what waited. */
    resume: () => {
      for (const act of held.splice(0)) if (connection.isOpen) act()
    },
    cut: () =>
      agenda.after(NOTICED_AFTER_MS + random.below(5_000), () => {
        if (connection.isOpen && !isReachable(machine)) breakConnection(connection)
      }),
    onLost,
  })
  return connection
}

interface Hidden {
  resume(): void
  cut(): void
  onLost(): void
}

function breakConnection(connection: Connection): void {
  connection.close()
  ;(connection as unknown as Hidden).onLost()
}

export function isReachable(machine: Machine): boolean {
  return machine.state === 'up' && !machine.isCut
}

/** The far process is gone: its socket closes, which home sees at once if there is a network. */
export function resetConnections(machine: Machine, which: (connection: Connection) => boolean = () => true): void {
  for (const connection of [...machine.connections]) {
    if (!which(connection)) continue
    if (isReachable(machine)) breakConnection(connection)
    else (connection as unknown as Hidden).cut()
  }
}

export function cutNetwork(world: World, machine: Machine, ms: number): void {
  if (machine.state !== 'up' || machine.isCut) return
  count(world, 'partitions')
  disturb(world, machine, ms)
  machine.isCut = true
  machine.unreachableSince = world.agenda.now()
  for (const connection of machine.connections) (connection as unknown as Hidden).cut()
  world.agenda.after(ms, () => {
    machine.isCut = false
    if (!isReachable(machine)) return
    machine.unreachableSince = null
    for (const connection of [...machine.connections]) (connection as unknown as Hidden).resume()
  })
}

/** `forMs` null: for ever. */
export function losePower(world: World, machine: Machine, forMs: number | null): void {
  if (machine.state !== 'up') return
  count(world, forMs === null ? 'machines lost' : 'machines rebooted')
  disturb(world, machine, forMs ?? Number.POSITIVE_INFINITY)
  machine.state = forMs === null ? 'lost' : 'down'
  machine.unreachableSince ??= world.agenda.now()
  for (const connection of machine.connections) (connection as unknown as Hidden).cut()
  for (const resident of machine.residents) resident.onPowerLoss()
  if (forMs === null) return
  world.agenda.after(forMs, () => {
    machine.state = 'up'
    if (!machine.isCut) machine.unreachableSince = null
    // A booted kernel knows nothing of old connections.
    resetConnections(machine)
  })
}

export function fillDisk(world: World, machine: Machine | null, ms: number): void {
  const disk = machine ?? world.home
  if (disk.isFull) return
  count(world, machine ? 'full disks there' : 'full disks at home')
  disturb(world, machine, ms)
  disk.isFull = true
  world.agenda.after(ms, () => {
    disk.isFull = false
  })
}
