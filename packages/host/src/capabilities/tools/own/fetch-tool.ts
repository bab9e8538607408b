import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import { z } from 'zod';
import type { WebPage, WebReader } from '../../egress/web-reader.ts';
import { type OwnTool, ownTool } from './own-tool.ts';
import { contentOf } from './page-content.ts';
import type { PageText } from './page-text.ts';

export interface FetchToolOptions {
  readonly reader: Pick<WebReader, 'read'>;
  readonly pages: Pick<PageText, 'of'>;
}

const parameters = z.strictObject({
  url: z.string().min(1).max(limits.fetch_url_chars).describe('Address of the page, with http or https.'),
});

/** Reads a public page. What stands there is data, whatever it says. */
export function fetchTool({ reader, pages }: FetchToolOptions): OwnTool {
  return ownTool({
    name: 'fetch',
    description: 'Reads a public web page and gives its text as Markdown; JSON and other texts as they stand.',
    parameters,
    async run({ url }, signal) {
      const page = await reader.read(url, signal);
      const { status } = page;
      if (status < 200 || status >= 300) throw failed(`The page answered with the status ${status}.`);
      const content = contentOf(page);
      if (content === null) throw failed(`What is there is no text but ${kindOf(page)}.`);
      const text = content.kind === 'html' ? await pages.of(content.text, signal) : content.text;
      return { content: `${headOf(page)}\n\n${text}`, is_error: false, files: [] };
    },
  });
}

/** Where the text is from, so that it can be cited; and whether it is all of it. */
function headOf({ url, is_cut }: WebPage): string {
  return is_cut ? `${url} (only the first ${limits.fetch_bytes} bytes)` : url;
}

function kindOf({ content_type }: WebPage): string {
  const [type = ''] = content_type.split(';');
  return type.trim().slice(0, 100) || 'something else';
}

function failed(message: string): ApiError {
  return new ApiError('runtime_error', message, { details: { reason: 'TOOL_FAILED' } });
}
