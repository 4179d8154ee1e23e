// The tests of one file, bundled with a changed version of it and played in a thread that may be lost: it may never end, or fill the memory.
import { once } from 'node:events'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { type BuildContext, context } from 'esbuild'

export interface MutantTrial {
  isNoticed(changed: string): Promise<boolean>
  close(): Promise<void>
}

const ROOT = join(import.meta.dirname, '..')
/** Tests of pure functions take milliseconds: whatever takes so long, and so many times what it takes unchanged, never ends. */
const LONGEST_MS = 10_000
const TIMES_UNCHANGED = 20
const MOST_MEMORY_MB = 1024

/** `suites` are played one after the other, until one notices. */
export async function openTrial(path: string, source: string, suites: readonly string[][]): Promise<MutantTrial> {
  let text = source
  let player: Worker | null = null
  let longestMs = Number.POSITIVE_INFINITY
  const bundles = await Promise.all(suites.map((tests) => openBundle(tests, path, () => text)))

  const play = async (code: string): Promise<string | null> => {
    if (player === null) {
      player = new Worker(join(import.meta.dirname, 'play-tests.ts'), {
        resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY_MB },
      })
      // One that is being ended for its slowness may fill the memory meanwhile.
      player.on('error', () => undefined)
    }
    const late = new AbortController()
    const timer = longestMs < Number.POSITIVE_INFINITY ? setTimeout(() => late.abort(), longestMs) : null
    try {
      player.postMessage(code)
      const [failure] = await once(player, 'message', { signal: late.signal })
      return failure
    } catch (error) {
      await player.terminate()
      player = null
      return String(error)
    } finally {
      if (timer) clearTimeout(timer)
    }
  }
  const findFailure = async (): Promise<string | null> => {
    for (const bundle of bundles) {
      const built = await bundle.rebuild().catch((error: unknown) => String(error))
      const failure = typeof built === 'string' ? built : await play(built.outputFiles![0]!.text)
      if (failure !== null) return failure
    }
    return null
  }

  const close = async (): Promise<void> => {
    await Promise.all([player?.terminate(), ...bundles.map((bundle) => bundle.dispose())])
  }

  const began = performance.now()
  const failure = await findFailure()
  if (failure !== null) {
    await close()
    throw new Error(`its tests fail without a change: ${failure}`)
  }
  longestMs = Math.max(LONGEST_MS, TIMES_UNCHANGED * (performance.now() - began))
  return {
    async isNoticed(changed) {
      text = changed
      return (await findFailure()) !== null
    },
    close,
  }
}

function openBundle(tests: readonly string[], path: string, text: () => string): Promise<BuildContext> {
  const onlyPath = new RegExp(`^${path.replaceAll(/[^\w/]/g, '\\$&')}$`)
  return context({
    stdin: { contents: tests.map((test) => `import './${test}'`).join('\n'), resolveDir: ROOT },
    ...{ bundle: true, write: false, format: 'cjs', platform: 'node', packages: 'external', logLevel: 'silent' },
    plugins: [
      {
        name: 'mutant',
        setup: (build) => build.onLoad({ filter: onlyPath }, () => ({ contents: text(), loader: 'ts' })),
      },
    ],
  })
}
