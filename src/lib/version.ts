// The version of ao: put in by the build. null when the sources run as they are.

declare const __AO_VERSION__: string | undefined

export const AO_VERSION: string | null = typeof __AO_VERSION__ === 'string' ? __AO_VERSION__ : null
