// What a cluster says of a pod, in words that explain it. Everything here comes from the API server and is only shown.
import type { PlaceState } from '../../slots/place.ts'

export interface Pod {
  metadata: {
    name: string
    uid: string
    resourceVersion?: string
    deletionTimestamp?: string
    labels?: Record<string, string>
    annotations?: Record<string, string>
  }
  spec?: { nodeName?: string; containers?: Array<{ name?: string }> }
  status?: {
    phase?: string
    reason?: string
    message?: string
    conditions?: Condition[]
    containerStatuses?: ContainerStatus[]
    initContainerStatuses?: ContainerStatus[]
  }
}

interface Condition {
  type: string
  status: string
  reason?: string
  message?: string
}

interface ContainerStatus {
  name: string
  state?: {
    running?: object
    waiting?: { reason?: string; message?: string }
    terminated?: { reason?: string; message?: string; exitCode?: number }
  }
}

/** Why a start waits, whether waiting helps, or that it runs. */
export type Progress =
  | { is: 'running' }
  | { is: 'waiting'; why: string }
  | { is: 'failed'; why: string; full?: boolean }

const PULL = /^(?:ImagePullBackOff|InvalidImageName|ErrImageNeverPull|ImageInspectError|RegistryUnavailable)$/
const HOPELESS = /^(?:CreateContainerConfigError|CreateContainerError|RunContainerError|CrashLoopBackOff|StartError)$/

/** `container`: the one that agents run in. */
export function progressOf(pod: Pod, container: string): Progress {
  const ended = stateOf(pod)
  if (ended.state === 'gone') return { is: 'failed', why: ended.why }
  if (ended.state === 'up' && ended.ending) return { is: 'failed', why: ended.ending }
  const statuses = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])]
  for (const { name, state } of statuses) {
    const { reason = '', message = '' } = state?.waiting ?? {}
    if (PULL.test(reason))
      return { is: 'failed', why: `the image of ${name} could not be pulled: ${message || reason}` }
    if (HOPELESS.test(reason))
      return { is: 'failed', why: `the container ${name} cannot be started: ${message || reason}` }
  }
  const ours = pod.status?.containerStatuses?.find(({ name }) => name === container)
  if (ours?.state?.running) return { is: 'running' }
  if (ours?.state?.terminated) return { is: 'failed', why: whyTerminated(pod, ours) }
  const scheduled = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled')
  if (scheduled?.status === 'False') {
    return { is: 'waiting', why: `no node takes it: ${scheduled.message ?? scheduled.reason ?? 'no reason was given'}` }
  }
  const waiting = statuses.flatMap(({ state }) => state?.waiting?.reason ?? [])[0]
  if (waiting === 'ErrImagePull') return { is: 'waiting', why: 'its image could not be pulled yet' }
  return {
    is: 'waiting',
    why: pod.spec?.nodeName ? `it is being started on ${pod.spec.nodeName}` : 'it has no node yet',
  }
}

export function stateOf(pod: Pod): PlaceState {
  const { metadata, status } = pod
  const name = `the pod ${metadata.name}`
  const phase = status?.phase
  if (phase === 'Failed' || phase === 'Succeeded') return { state: 'gone', why: whyOver(pod) }
  if (isNodeLost(pod)) {
    const node = pod.spec?.nodeName ?? 'it is on'
    return { state: 'unknown', why: `the node ${node} does not answer, so what became of ${name} is unknown` }
  }
  if (metadata.deletionTimestamp) {
    return { state: 'up', ending: disruption(pod) ?? `${name} is being deleted` }
  }
  const terminated = status?.containerStatuses?.filter(({ state }) => state?.terminated) ?? []
  if (phase === 'Running' && terminated.length > 0 && terminated.length === status?.containerStatuses?.length) {
    return { state: 'gone', why: whyTerminated(pod, terminated[0]!) }
  }
  return { state: 'up' }
}

export function whyDeleted(name: string): string {
  return `the pod ${name} was deleted`
}

function isNodeLost({ status, metadata }: Pod): boolean {
  if (status?.reason === 'NodeLost' || status?.phase === 'Unknown') return true
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')
  // Set by the node controller, when the kubelet stopped reporting.
  return ready?.status === 'Unknown' || (ready?.reason === 'NodeStatusUnknown' && !metadata.deletionTimestamp)
}

const DISRUPTIONS: Readonly<Record<string, string>> = {
  PreemptionByScheduler: 'was preempted: the scheduler gave its node to a pod of higher priority',
  EvictionByEvictionAPI: 'was evicted: its node is being drained',
  DeletionByTaintManager: 'was evicted: its node has a taint that it does not tolerate',
  DeletionByPodGC: 'was removed: its node no longer exists',
  TerminationByKubelet: 'was evicted: its node was short of memory or disk, or is shutting down',
}

/** Which of the cluster's own reasons to end a pod it was. */
function disruption(pod: Pod): string | null {
  const target = pod.status?.conditions?.find(({ type, status }) => type === 'DisruptionTarget' && status === 'True')
  if (!target) return null
  const text = DISRUPTIONS[target.reason ?? ''] ?? `was ended by the cluster (${target.reason ?? 'no reason'})`
  return `the pod ${pod.metadata.name} ${text}${target.message ? `: ${target.message}` : ''}`
}

const REASONS: Readonly<Record<string, string>> = {
  Evicted: 'was evicted by its node',
  Preempting: 'was preempted: its node was needed for a pod of higher priority',
  Preempted: 'was preempted: its node was needed for a pod of higher priority',
  NodeShutdown: 'ended because its node was shut down',
  Terminated: 'ended because its node was shut down',
  DeadlineExceeded: 'ran longer than its activeDeadlineSeconds',
  NodeAffinity: 'was refused by its node, which it no longer matches',
  UnexpectedAdmissionError: 'was refused by its node',
}

function whyOver(pod: Pod): string {
  const { reason = '', message = '' } = pod.status ?? {}
  const explained =
    REASONS[reason] ?? (/^OutOf/.test(reason) ? 'was refused by its node, which has no room for it' : null)
  if (explained) return `the pod ${pod.metadata.name} ${explained}${message ? `: ${message}` : ''}`
  const disrupted = disruption(pod)
  if (disrupted) return disrupted
  const terminated = pod.status?.containerStatuses?.find(({ state }) => state?.terminated)
  if (terminated) return whyTerminated(pod, terminated)
  return `the pod ${pod.metadata.name} has ended${reason ? ` (${reason})` : ''}${message ? `: ${message}` : ''}`
}

function whyTerminated({ metadata }: Pod, { name, state }: ContainerStatus): string {
  const { reason, exitCode = null, message } = state?.terminated ?? {}
  const where = `the container ${name} of the pod ${metadata.name}`
  if (reason === 'OOMKilled') return `${where} was ended for lack of memory`
  const text = [reason, message].filter(Boolean).join(': ')
  return `${where} ended with ${exitCode ?? 'an unknown code'}${text ? ` (${text})` : ''}`
}
