import { describe, expect, it } from 'vitest'
import { podManifest, podName } from './pod-manifest.ts'
import { type Pod, progressOf, stateOf } from './pod-state.ts'

const pod = (status: Pod['status'], metadata: Partial<Pod['metadata']> = {}): Pod => ({
  metadata: { name: 'ao-app-1', uid: 'u', ...metadata },
  spec: { nodeName: 'node-1' },
  status: { phase: 'Running', ...status },
})
const disrupted = (reason: string) => [{ type: 'DisruptionTarget', status: 'True', reason }]

describe('what a cluster says of a pod', () => {
  it.each<[string, Pod, string, RegExp]>([
    [
      'evicted by its node',
      pod({ phase: 'Failed', reason: 'Evicted', message: 'low on memory' }),
      'gone',
      /was evicted by its node: low on memory/,
    ],
    ['refused by its node', pod({ phase: 'Failed', reason: 'OutOfcpu' }), 'gone', /has no room for it/],
    ['too long', pod({ phase: 'Failed', reason: 'DeadlineExceeded' }), 'gone', /activeDeadlineSeconds/],
    [
      'node removed',
      pod({ phase: 'Failed', conditions: disrupted('DeletionByPodGC') }),
      'gone',
      /its node no longer exists/,
    ],
    [
      'drained',
      pod({ conditions: disrupted('EvictionByEvictionAPI') }, { deletionTimestamp: 'now' }),
      'up',
      /node is being drained/,
    ],
    [
      'preempted',
      pod({ conditions: disrupted('PreemptionByScheduler') }, { deletionTimestamp: 'now' }),
      'up',
      /was preempted/,
    ],
    ['deleted', pod({}, { deletionTimestamp: 'now' }), 'up', /is being deleted/],
    ['node lost', pod({ reason: 'NodeLost' }, { deletionTimestamp: 'now' }), 'unknown', /node-1 does not answer/],
    ['node silent', pod({ conditions: [{ type: 'Ready', status: 'Unknown' }] }), 'unknown', /node-1 does not answer/],
  ])('%s', (_what, seen, state, text) => {
    const result = stateOf(seen)
    expect(result.state).toBe(state)
    expect('ending' in result ? result.ending : 'why' in result ? result.why : '').toMatch(text)
  })

  it('a first failure to pull is waited out, a repeated one is not', () => {
    const waiting = (reason: string) =>
      pod({ phase: 'Pending', containerStatuses: [{ name: 'agent', state: { waiting: { reason } } }] })
    expect(progressOf(waiting('ErrImagePull'), 'agent').is).toBe('waiting')
    expect(progressOf(waiting('ImagePullBackOff'), 'agent').is).toBe('failed')
    expect(progressOf(waiting('CreateContainerConfigError'), 'agent').is).toBe('failed')
  })
})

describe('the pod of a session', () => {
  const request = { name: 'h-App_1', spawnId: 's', owner: 'o' }

  it('has a valid name, whatever the session is called', () => {
    expect(podName('Ümläut '.repeat(20), 's')).toMatch(/^ao-[a-z0-9-]{1,60}$/)
    expect(podName('a', '1')).not.toBe(podName('a', '2'))
  })

  it('needs an image', () => {
    expect(() => podManifest(request)).toThrow(/has no image/)
  })

  it('keeps what a template says, but not what would break it', () => {
    const template = {
      kind: 'Pod',
      metadata: { name: 'mine', labels: { team: 'a', 'ao.dev/owner': 'not me' } },
      spec: {
        restartPolicy: 'Always',
        serviceAccountName: 'agents',
        automountServiceAccountToken: true,
        containers: [
          { name: 'side', image: 'side:1' },
          {
            name: 'agent',
            image: 'tpl:1',
            command: ['run'],
            args: ['x'],
            resources: { limits: { 'nvidia.com/gpu': 1 } },
          },
        ],
      },
    }
    const made = JSON.parse(JSON.stringify(podManifest({ ...request, template, cpus: 2 }))) as {
      metadata: { name: string; labels: Record<string, string> }
      spec: { restartPolicy: string; automountServiceAccountToken: boolean; containers: Array<Record<string, unknown>> }
    }
    expect(made.metadata.name).toMatch(/^ao-h-app-1-/)
    expect(made.metadata.labels).toMatchObject({ team: 'a', 'ao.dev/owner': 'o' })
    expect(made.spec).toMatchObject({ restartPolicy: 'Never', automountServiceAccountToken: true })
    expect(made.spec.containers[0]).toEqual({ name: 'side', image: 'side:1' })
    expect(made.spec.containers[1]).toMatchObject({
      ...{ name: 'agent', image: 'tpl:1', command: ['sh', '-c', expect.stringContaining('sleep')] },
      resources: { limits: { 'nvidia.com/gpu': 1, cpu: '2' }, requests: { cpu: '2' } },
    })
    expect(made.spec.containers[1]).not.toHaveProperty('args')
  })

  it.each([['a text'], [[1]], [{ spec: [] }], [{ metadata: 'x' }]])(
    'refuses a template that is none: %o',
    (template) => {
      expect(() => podManifest({ ...request, image: 'i', template })).toThrow(/template of the place is invalid/)
    },
  )
})
