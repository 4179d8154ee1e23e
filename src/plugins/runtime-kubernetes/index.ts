// Places that are pods of a Kubernetes cluster: each session in one of its own.
import { resolve } from 'node:path'
import { errorText } from '../../contract/errors.ts'
import { definePlaceEngine } from '../place/define-engine.ts'
import { kubernetesEngine } from './kubernetes-engine.ts'
import { kubernetesOptions } from './options.ts'

export const plugin = definePlaceEngine({
  manifest: { name: 'kubernetes', description: 'Runs each agent in a pod of a Kubernetes cluster' },
  options: kubernetesOptions,
  engine: (own, { env, home, log, configDir, place }) => {
    const at = (path: string | undefined) =>
      path === undefined ? undefined : resolve(configDir, path.replace(/^~(?=\/)/, env.HOME ?? '~'))
    const resolved = { ...own, template: at(own.template), kubeconfig: at(own.kubeconfig) }
    return kubernetesEngine(resolved, env, home, (text) => log.warn(`${place?.name ?? 'kubernetes'}: ${text}`))
  },
  async detect({ env }) {
    try {
      const { clusterAccess } = await import('./kubeconfig.ts')
      return { ok: true, detail: clusterAccess({}, env).server }
    } catch (error) {
      return { ok: false, detail: errorText(error), fix: 'Make this work first: kubectl get pods' }
    }
  },
})
