// Types of chromium.mjs, which is plain JavaScript because it runs before anything is installed.
export interface ChromiumPart {
  readonly executablePath: string
  readonly env: Readonly<Record<'LD_LIBRARY_PATH' | 'FONTCONFIG_PATH', string>>
}

export const CHROMIUM_PART: string
export function systemChromium(): string | undefined
export function chromiumPart(folder?: string): ChromiumPart | undefined
