// The version of ao, inserted by the build. null when running from source.

declare const __AO_VERSION__: string | undefined

export const AO_VERSION: string | null = typeof __AO_VERSION__ === 'string' ? __AO_VERSION__ : null
