import type pg from "pg";

/**
 * Begins a transaction without the table indexes that no constraint needs. Rebuilding them at the end takes a tenth of
 * the time.
 */
async function beginWithoutIndexes(client: pg.ClientBase, tables: readonly string[]): Promise<() => Promise<void>> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
     from pg_index where indrelid = any($1::regclass[]) and not indisunique`,
    [tables],
  );
  await client.query("begin");
  for (const { name } of rows) await client.query(`drop index ${name}`);
  return async () => {
    await client.query("set local maintenance_work_mem = '512MB'");
    for (const { definition } of rows) await client.query(definition);
    await client.query("commit");
  };
}

const triggersOf = ["app.token_images", "app.gallery", "app.images", "app.listings"];

/**
 * Gives every seeded token a picture (of a thousand different ones) and publishes as many listings, nine of ten of them
 * from accounts. Triggers are disabled meanwhile; the rows that they maintain are written at the end. Does nothing if
 * the data exist.
 */
export async function seedCatalogue(pool: pg.Pool, count: number): Promise<void> {
  const { rows } = await pool.query<{ n: number }>("select coalesce(sum(count), 0)::int as n from app.listing_sources");
  if (rows[0]!.n === count) return;
  const client = await pool.connect();
  const run = async (sql: string, values: unknown[] = []) => void (await client.query(sql, values));
  try {
    for (const table of triggersOf) await run(`alter table ${table} disable trigger all`);
    await run(
      "truncate app.gallery, app.gallery_items, app.gallery_total, app.token_images, app.images, app.listings, app.listing_sources cascade",
    );
    await run(
      `insert into app.images (sha256, cid, content_type, bytes, width, height, animated, blurhash, dominant_color, uploaded)
       select sha256(n::text::bytea), 'bafkrei' || n, 'image/webp', 20000, 512, 512, false, 'LEHV6nWB2yk8pyo0adR*.7kCMdnj', '#336699',
         false
       from generate_series(0, 999) n`,
    );
    const commit = await beginWithoutIndexes(client, [
      "app.token_images",
      "app.gallery",
      "app.gallery_items",
      "app.listings",
    ]);
    await run(
      `insert into app.token_images (token, uri, sha256, next_at, processed_at)
       select address, 'https://pictures.example/' || id, sha256((id % 1000)::text::bytea), null, now() from chain.tokens`,
    );
    await run(`insert into app.gallery (token, sha256, shown) select token, sha256, true from app.token_images`);
    await run("insert into app.gallery_items select * from app.wanted_gallery_items order by block_number");
    await run("insert into app.gallery_total (shown) select count(*) from app.gallery");
    await run(
      `insert into app.listings (id, source, kind, account_id, body_hash, listing, name, search_text, category, country, lat, lon,
         merge_key, created_at)
       select case when own then gen_random_uuid()::text else 'partner_a:' || n end,
         case when own then 'own' else 'partner_a' end, 'business', case when own then gen_random_uuid() end, '\\x00',
         jsonb_build_object('kind', 'business', 'name', name, 'description', name || ' of the harbour, open daily.',
           'category', category, 'website', site, 'image_uri', null, 'email', null, 'phone', null, 'address',
           jsonb_build_object('street', null, 'city', city, 'region', null, 'postal_code', null, 'country', country),
           'location', null, 'hours', null, 'tags', jsonb_build_array('open'), 'links', '{}'::jsonb, 'token', null,
           'attribution', null),
         lower(name), lower(name || ' open ' || city || ' ' || name || ' of the harbour, open daily.'), category, country,
         lat, lon, site || lower(name), now() - n * interval '1 second'
       from (
         select n, n % 10 <> 0 as own,
           (array['Amber','Boat','Cedar','Delta','Ember','Fjord','Gull','Harbor','Iron','Jetty','Keel','Lantern'])[1 + n % 12]
             || ' ' || (array['Bakery','Books','Cycles','Dental','Events','Flowers','Garage','Hotel','Ink','Jewels'])[1 + n / 12 % 10]
             || ' ' || n as name,
           (array['food-drink','retail','games','media','health','travel','finance','other'])[1 + n % 8] as category,
           (array['DE','GB','US','PT','JP','NO','IE','EE','FR','IT'])[1 + n / 8 % 10] as country,
           (array['Hamburg','Bristol','Boston','Lisboa','Yokohama','Bergen','Cork','Tallinn','Brest','Genova'])[1 + n / 8 % 10] as city,
           'https://b' || n || '.example/' as site, (n::bigint * 7919 % 170000) / 1000.0 - 85 as lat, (n::bigint * 104729 % 360000) / 1000.0 - 180 as lon
         from generate_series(1, $1::int) n
       ) s`,
      [count],
    );
    await commit();
    await run(
      `insert into app.listing_sources (source, count, leads, changed_at)
       select source, count(*), count(*), now() from app.listings group by source`,
    );
    for (const table of triggersOf) await run(`alter table ${table} enable trigger all`);
    await run("vacuum analyze");
  } finally {
    client.release(true);
  }
}
