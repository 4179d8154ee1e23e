// Asks one plugin whether it can work on this machine. Bounded, and a plugin that throws is an answer too.
import { errorText } from '../contract/errors.ts'
import type { Detected, Plugin, PluginContext } from '../slots/plugin.ts'
import type { DetectedPlugin } from '../slots/registry.ts'

const DETECT_TIMEOUT_MS = 5_000

export async function detectPlugin(plugin: Plugin, context: PluginContext): Promise<DetectedPlugin> {
  const { name } = plugin.manifest
  if (!plugin.detect) return { name, ok: true, detail: 'needs nothing' }
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<Detected>((resolve) => {
    timer = setTimeout(
      () => resolve({ ok: false, detail: 'did not answer in time', timedOut: true }),
      DETECT_TIMEOUT_MS,
    )
  })
  try {
    return { name, ...(await Promise.race([plugin.detect(context), tooLate])) }
  } catch (error) {
    return { name, ok: false, detail: `could not be checked: ${errorText(error)}` }
  } finally {
    clearTimeout(timer)
  }
}
